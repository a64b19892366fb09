/** How our process is started. `palimpsest install` puts node and the file it runs from here, both absolute. */
export const COMMAND: readonly string[] = ["palimpsest"];
