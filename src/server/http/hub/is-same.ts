import { timingSafeEqual } from 'node:crypto'
import { hashOf } from '../../../app/commands/hub/hub-tokens.ts'

/** Takes as long for a wrong first character as for a wrong last one. */
export function isSame(a: string, b: string): boolean {
  return timingSafeEqual(Buffer.from(hashOf(a)), Buffer.from(hashOf(b)))
}
