/** Everyone who competes, by name. Policies come from the public name, so a new one competes by being registered. */
import { PalimpsestError, policyNames } from "palimpsest";
import { controls } from "./controls.ts";
import type { Opponent } from "./opponent.ts";
import { HOW_TO_INSTALL, peerNames, peerOpponents } from "./peers.ts";
import { policyOpponents } from "./policies.ts";

export function opponentsNamed(names?: readonly string[]): readonly Opponent[] {
  const peers = peerOpponents();
  if (names === undefined)
    return [...policyOpponents(policyNames.filter((name) => name !== "none")), ...peers, ...controls];
  return names.map((name) => {
    const found = [...controls, ...peers].find((opponent) => opponent.name === name);
    const [policy] = policyNames.includes(name) ? policyOpponents([name]) : [];
    const opponent = found ?? policy;
    if (opponent) return opponent;
    throw new PalimpsestError("usage", unknown(name));
  });
}

function unknown(name: string): string {
  if (peerNames.includes(name)) return `${name} is not installed. From a checkout: ${HOW_TO_INSTALL}.`;
  const known = [...policyNames, ...peerNames, ...controls.map((opponent) => opponent.name)];
  return `There is no opponent "${name}". Known: ${known.join(", ")}.`;
}
