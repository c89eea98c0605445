/** What the server takes at most, as `limits.remark` says it. */
export const reviewLimits = { textChars: 16_000, hunkChars: 8_000, batch: 100, batchChars: 100_000 } as const
