import { limits } from '../../domain/limits.ts'
import { plainLine } from '../../domain/plain-text.ts'

/** Thrown inside of this folder for what the port tells as a failure. */
export class ServerBroke extends Error {}

/** Words of a server in a sentence about it. */
export function quoted(words: string): string {
  return plainLine(words, limits.mcp.quoteChars)
}
