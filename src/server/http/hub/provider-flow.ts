import { createCipheriv, createDecipheriv, randomBytes, randomUUID } from 'node:crypto'
import type { BegunSignIn } from '../../../app/commands/hub/sign-in-person.ts'
import { limits } from '../../../domain/limits.ts'

interface Flow extends BegunSignIn {
  readonly id: string
  /** Of the half that the page keeps. */
  readonly pageHash: string
  readonly until: number
}

export type NewFlow = Omit<Flow, 'id' | 'until'>

export interface Flows {
  /** What the browser keeps of a sign-in, which only this process can read. */
  seal(flow: NewFlow): string
  /** Null for what was not sealed here, is too old, or has let somebody in already. */
  open(sealed: string): Flow | null
  /** Lets nobody in by it again. */
  use(flow: Flow): void
}

/**
 * Sign-ins with a provider that are under way. Each is with its browser alone, so whoever begins
 * many of them takes no memory here.
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
    // It was sealed by another start of the hub, or by nobody.
    return null
  }
}
