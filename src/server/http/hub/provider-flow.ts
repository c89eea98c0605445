import { createCipheriv, createDecipheriv, randomBytes, randomUUID } from 'node:crypto'
import type { BegunSignIn } from '../../../app/commands/hub/sign-in-person.ts'
import { limits } from '../../../domain/limits.ts'

interface Flow extends BegunSignIn {
  readonly id: string
  /** The hash of the half that the page keeps. */
  readonly pageHash: string
  readonly until: number
}

export type NewFlow = Omit<Flow, 'id' | 'until'>

export interface Flows {
  /** Encrypts the state of a sign-in for a cookie. Only this process can decrypt it. */
  seal(flow: NewFlow): string
  /** Decrypts a cookie; null if it is not from this process, is too old, or was used already. */
  open(sealed: string): Flow | null
  /** Marks a flow as used, so that it opens no second session. */
  use(flow: Flow): void
}

/**
 * The sign-ins in progress. Each is stored in its browser's cookie, so that many of them need no
 * memory here.
 */
export function createFlows(now: () => Date): Flows {
  const key = randomBytes(32)
  const used = new Map<string, number>()
  return {
    seal(flow) {
      const nonce = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', key, nonce)
      const whole: Flow = { ...flow, id: randomUUID(), until: now().getTime() + limits.hub.flowMs }
      const text = Buffer.concat([cipher.update(JSON.stringify(whole), 'utf8'), cipher.final()])
      return Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64url')
    },
    open(sealed) {
      const flow = unsealed(Buffer.from(sealed, 'base64url'), key)
      return flow === null || flow.until <= now().getTime() || used.has(flow.id) ? null : flow
    },
    use({ id, until }) {
      for (const [each, end] of used) if (end <= now().getTime()) used.delete(each)
      used.set(id, until)
    },
  }
}

function unsealed(bytes: Buffer, key: Buffer): Flow | null {
  if (bytes.length < 29) return null
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12), { authTagLength: 16 })
    decipher.setAuthTag(bytes.subarray(12, 28))
    return JSON.parse(Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8'))
  } catch {
    // The cookie is forged, or from an earlier start of the hub.
    return null
  }
}
