/** Everyone who competes, by name. Policies come from the public name, so a new one competes by being registered. */
import { PalimpsestError, policyNames } from "palimpsest";
import { controls } from "./controls.ts";
import type { Opponent } from "./opponent.ts";
import { policyOpponents } from "./policies.ts";

export function opponentsNamed(names?: readonly string[]): readonly Opponent[] {
  if (names === undefined)
    return [...policyOpponents(policyNames.filter((name) => name !== "none")), ...controls];
  return names.map((name) => {
    const control = controls.find((opponent) => opponent.name === name);
    if (control) return control;
    const [policy] = policyNames.includes(name) ? policyOpponents([name]) : [];
    if (policy) return policy;
    throw new PalimpsestError(
      "usage",
      `There is no opponent "${name}". Known: ${[...policyNames, ...controls.map((opponent) => opponent.name)].join(", ")}.`,
    );
  });
}
