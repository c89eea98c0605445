import { timingSafeEqual } from 'node:crypto'
import { hashOf } from '../../../app/commands/hub/hub-tokens.ts'

/** Compares in constant time, so that the duration tells nothing about the expected text. */
export function isSame(a: string, b: string): boolean {
  return timingSafeEqual(Buffer.from(hashOf(a)), Buffer.from(hashOf(b)))
}
