// What is said of many measurements.

export function quantile(values, part) {
  const sorted = values.filter((value) => Number.isFinite(value)).sort((a, b) => a - b);
  return sorted.length ? sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] : NaN;
}

export const median = (values) => quantile(values, 0.5);

export function shuffled(values) {
  const left = [...values];
  for (let at = left.length - 1; at > 0; at--) {
    const other = Math.floor(Math.random() * (at + 1));
    [left[at], left[other]] = [left[other], left[at]];
  }
  return left;
}

/** A map from what `key` says of each value to the values of which it says so. */
export function grouped(values, key) {
  const groups = new Map();
  for (const value of values) groups.set(key(value), [...(groups.get(key(value)) ?? []), value]);
  return groups;
}
