/** What the server takes, as `limits.remark` says it: characters of a comment, and comments at once. */
export const reviewLimits = { textChars: 16_000, hunkChars: 8_000, batch: 100, batchChars: 100_000 } as const
