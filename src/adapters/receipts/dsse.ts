import { type KeyObject, sign, verify } from 'node:crypto'
import { z } from 'zod'
import { canonicalJson } from '../../domain/canonical-json.ts'
import { parsedJson } from '../../domain/json.ts'
import { keyId } from './signing-key.ts'

/** A parsed DSSE envelope with one signature; the payload holds the signed bytes. */
export interface Envelope {
  readonly payload: Buffer
  /** The key id that the envelope names; the signature does not cover it. */
  readonly keyId: string
  readonly signature: Buffer
}

const payloadType = 'application/vnd.in-toto+json'

const schema = z.strictObject({
  payloadType: z.literal(payloadType),
  payload: z.string(),
  signatures: z.tuple([z.strictObject({ keyid: z.string().regex(/^[0-9a-f]{64}$/), sig: z.string() })]),
})

/** The text of an envelope around a payload. Equal payloads and keys give equal texts. */
export function seal(payload: Buffer, key: KeyObject): string {
  return textOf({ payload, keyId: keyId(key), signature: sign(null, authenticated(payload), key) })
}

/**
 * Null for anything but a text that `seal` makes. Each payload has exactly one envelope, so that no
 * byte of it can be changed unnoticed.
 */
export function unseal(text: string): Envelope | null {
  const parsed = schema.safeParse(parsedJson(text))
  if (!parsed.success) return null
  const { payload, signatures } = parsed.data
  const [{ keyid, sig }] = signatures
  const envelope = {
    payload: Buffer.from(payload, 'base64'),
    keyId: keyid,
    signature: Buffer.from(sig, 'base64'),
  }
  return textOf(envelope) === text ? envelope : null
}

export function isSigned({ payload, signature }: Envelope, key: KeyObject): boolean {
  return verify(null, authenticated(payload), key, signature)
}

/** DSSE's pre-authentication encoding. */
function authenticated(payload: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`DSSEv1 ${payloadType.length} ${payloadType} ${payload.length} `), payload])
}

function textOf({ payload, keyId: keyid, signature }: Envelope): string {
  const signatures = [{ keyid, sig: signature.toString('base64') }]
  return `${canonicalJson({ payload: payload.toString('base64'), payloadType, signatures })}\n`
}
