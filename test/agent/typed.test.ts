/** What a person types while the agent works, at a terminal made of two streams. */
import { PassThrough } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { Typed } from "../../src/agent/typed.ts";

function terminal() {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const heard: string[] = [];
  const typed = new Typed({
    input,
    output,
    isTerminal: true,
    onLine: (line) => heard.push(`line ${line}`),
    onInterrupt: () => heard.push("interrupt"),
    onTyping: () => heard.push("hold"),
    onTyped: () => heard.push("release"),
  });
  onTestFinished(() => typed.close());
  const type = async (keys: string) => {
    input.write(keys);
    await sleep(20);
  };
  return { typed, heard, type };
}

test("a line nobody waits for steers, and the screen holds still while it is typed", async () => {
  const { heard, type } = terminal();
  await type("use");
  expect(heard).toEqual(["hold"]);
  await type(" tabs\r");
  expect(heard).toEqual(["hold", "release", "line use tabs"]);
});

test("a question that comes while somebody types gets an answer of its own, and what was typed comes back", async () => {
  const { typed, heard, type } = terminal();
  await type("use tabs");
  const answer = typed.next("Allow? ", { isQuestion: true });
  await type("y\r");
  expect(await answer).toBe("y");
  await type(" please\r");
  expect(heard.at(-1)).toBe("line use tabs please");
});

test("what was begun goes on in the next prompt", async () => {
  const { typed, type } = terminal();
  await type("and");
  const line = typed.next("› ");
  await type(" now?\r");
  expect(await line).toBe("and now?");
});

test("Ctrl-C interrupts the work; at a prompt it is the answer", async () => {
  const { typed, heard, type } = terminal();
  await type("\u0003");
  expect(heard.at(-1)).toBe("interrupt");
  const line = typed.next("› ");
  await type("\u0003");
  expect(await line).toBe(undefined);
});
