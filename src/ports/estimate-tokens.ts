import { limits } from '../domain/limits.ts'

/**
 * Rather too many of code and prose. To look at each word, as libraries do, takes a millisecond for
 * 20 kB.
 */
export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / limits.bytesPerToken)
}
