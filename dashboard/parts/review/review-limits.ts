/** The server's limits, as in `limits.remark`. */
export const reviewLimits = { textChars: 16_000, hunkChars: 8_000, batch: 100, batchChars: 100_000 } as const
