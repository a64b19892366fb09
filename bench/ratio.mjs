/**
 * Performance as ratios: the work and its floor are timed alternately in one process, and the medians are compared.
 * Machines are noisy and differ; a ratio measured this way moves little, so it can have a limit.
 */
export function ratio({ name, limit, floor, work, rounds = 15 }) {
  floor();
  work();
  const floors = [];
  const works = [];
  for (let round = 0; round < rounds; round += 1) {
    floors.push(time(floor));
    works.push(time(work));
  }
  const value = median(works) / median(floors);
  return { name, value, limit, floorMs: median(floors), workMs: median(works), isOver: value > limit };
}

function time(run) {
  const start = process.hrtime.bigint();
  run();
  return Number(process.hrtime.bigint() - start) / 1e6;
}

function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}
