export declare const about: { name: string; description: string; schema: object };
export declare function lookUp(asked: { year: number }): string;
export declare const QUESTION: string;
