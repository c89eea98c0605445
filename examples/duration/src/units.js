/** Units from large to small, with their sizes in milliseconds. */
export const units = [
  { symbol: 'd', ms: 86_400_000 },
  { symbol: 'h', ms: 3_600_000 },
  { symbol: 'm', ms: 60_000 },
  { symbol: 's', ms: 1_000 },
]
