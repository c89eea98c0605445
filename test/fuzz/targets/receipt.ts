import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import fc from 'fast-check'
import { expect } from 'vitest'
import { checkReceipt } from '../../../src/adapters/receipts/check-receipt.ts'
import { seal } from '../../../src/adapters/receipts/dsse.ts'
import { canonicalJson } from '../../../src/domain/canonical-json.ts'
import type { Json } from '../../../src/domain/json.ts'
import { statementOf } from '../../../src/domain/verification/receipt.ts'
import { commit, tree, unsigned } from '../../adapters/receipt-world.ts'
import { nasty } from '../nasty.ts'
import type { FuzzTarget } from '../target.ts'

/**
 * At a place in the envelope: bytes to remove, and a text to insert; or the envelope as JSON in
 * another form.
 */
interface Input {
  readonly at: number
  readonly out: number
  readonly put: string
  readonly rewritten: 'no' | 'indented' | 'reordered' | 'a key more' | 'a signature more' | 'unpadded' | 'url'
}

const inputs: fc.Arbitrary<Input> = fc.record({
  at: fc.nat(10_000),
  out: fc.oneof(fc.constantFrom(0, 1), fc.nat(20)),
  put: fc.oneof(nasty, fc.string({ unit: 'binary-ascii', minLength: 1, maxLength: 1 })),
  rewritten: fc.oneof(
    { weight: 4, arbitrary: fc.constant('no' as const) },
    fc.constantFrom('indented', 'reordered', 'a key more', 'a signature more', 'unpadded', 'url'),
  ),
})

/** The envelope of a receipt: only the sealed text is valid. */
export const receipt: FuzzTarget<Input> = {
  name: 'receipt',
  async open() {
    const { privateKey } = generateKeyPairSync('ed25519')
    const statement = statementOf({ ...unsigned(), drydock: { version: '1.2.3' } })
    const text = seal(Buffer.from(canonicalJson(statement as unknown as Json)), privateKey)
    const keys = [createPublicKey(privateKey)]
    const worth = (changed: string | null) => checkReceipt({ text: changed, commit, tree, keys })
    expect(worth(text).ok).toBe(true)
    return {
      inputs,
      check(input) {
        const changed = change(rewrite(text, input), input)
        const checked = worth(changed)
        expect(checked.ok).toBe(changed === text)
        if (!checked.ok) expect(checked.fault).toMatch(/^receipt_(?:malformed|unknown_key|changed)$/)
      },
    }
  },
}

function change(text: string, { at, out, put }: Input): string {
  const start = at % (text.length + 1)
  return text.slice(0, start) + put + text.slice(start + out)
}

function rewrite(text: string, { rewritten }: Input): string {
  const envelope = JSON.parse(text)
  switch (rewritten) {
    case 'no':
      return text
    case 'indented':
      return `${JSON.stringify(envelope, null, 1)}\n`
    case 'reordered':
      return `${JSON.stringify(Object.fromEntries(Object.entries(envelope).toReversed()))}\n`
    case 'a key more':
      return `${canonicalJson({ ...envelope, a: 1 })}\n`
    case 'a signature more':
      return `${canonicalJson({ ...envelope, signatures: [...envelope.signatures, ...envelope.signatures] })}\n`
    case 'unpadded':
      return `${canonicalJson({ ...envelope, payload: `${envelope.payload.replace(/=+$/, '')} ` })}\n`
    case 'url':
      return `${canonicalJson({ ...envelope, payload: `${envelope.payload}====` })}\n`
    default:
      throw new Error(`unknown ${rewritten satisfies never}`)
  }
}
