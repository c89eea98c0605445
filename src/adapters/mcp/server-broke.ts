import { limits } from '../../domain/limits.ts'
import { plainLine } from '../../domain/plain-text.ts'

/** Thrown inside this folder; callers of the port get it as a failure. */
export class ServerBroke extends Error {}

/** Quotes the words of a server inside a sentence about it. */
export function quoted(words: string): string {
  return plainLine(words, limits.mcp.quoteChars)
}
