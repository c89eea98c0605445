import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { checkReceipt } from '../../src/adapters/receipts/check-receipt.ts'
import { seal, unseal } from '../../src/adapters/receipts/dsse.ts'
import { createReceipts } from '../../src/adapters/receipts/receipts.ts'
import { existingKey, keyId, publicPem, signingKey } from '../../src/adapters/receipts/signing-key.ts'
import { commit, installation, tree, unsigned } from './receipt-world.ts'

const place = { commit, tree }

async function signed() {
  const { receipts, keyFile } = installation()
  const { text } = await receipts.keep(unsigned())
  const key = await signingKey(keyFile)
  return { text, key, keys: [createPublicKey(key)] }
}

/** Changes the payload of a text as JSON, and seals it again with the same key. */
function resealed(text: string, key: KeyObject, change: (statement: Record<string, unknown>) => unknown): string {
  const statement = JSON.parse(unseal(text)?.payload.toString() ?? '')
  return seal(Buffer.from(JSON.stringify(change(statement))), key)
}

test('a receipt is proven by the public key alone, and says all that it was made from', async () => {
  const { text, keys } = await signed()
  const receipt = { ...unsigned(), drydock: { version: '1.2.3' } }
  expect(checkReceipt({ text, ...place, keys })).toEqual({ ok: true, receipt, key: keyId(keys[0] as KeyObject) })
})

test('any changed byte of the envelope fails', async () => {
  const { text, keys } = await signed()
  const bytes = Buffer.from(text)
  fc.assert(
    fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), (at, by) => {
      const changed = Buffer.from(bytes)
      changed[at] = (changed[at] as number) ^ by
      expect(checkReceipt({ text: changed.toString('utf8'), ...place, keys }).ok).toBe(false)
    }),
    { numRuns: 500 },
  )
  for (const other of [text.trimEnd(), `${text}\n`, ` ${text}`, text.replace(',', ', ')])
    expect(checkReceipt({ text: other, ...place, keys })).toMatchObject({ fault: 'receipt_malformed' })
})

test('each way to be wrong has its own name', async () => {
  const { text, key, keys } = await signed()
  const faultOf = (given: Partial<Parameters<typeof checkReceipt>[0]>) => {
    const checked = checkReceipt({ text, ...place, keys, ...given })
    return checked.ok ? null : checked.fault
  }
  const forged = seal(Buffer.from('{}'), key)
  const stolen = text.replace(/"sig":"[^"]*"/, /"sig":"[^"]*"/.exec(forged)?.[0] ?? '')
  expect(faultOf({ text: 'Looks fine to me.\n' })).toBe('receipt_malformed')
  expect(faultOf({ text: null })).toBe('receipt_malformed')
  expect(faultOf({ keys: [] })).toBe('receipt_unknown_key')
  expect(faultOf({ keys: [generateKeyPairSync('ed25519').publicKey] })).toBe('receipt_unknown_key')
  expect(faultOf({ text: stolen })).toBe('receipt_changed')
  expect(faultOf({ commit: 'f'.repeat(40) })).toBe('receipt_other_commit')
  expect(faultOf({ tree: 'f'.repeat(40) })).toBe('receipt_other_tree')
  const version = resealed(text, key, (statement) => ({ ...statement, predicateType: 'urn:drydock:receipt:2' }))
  expect(faultOf({ text: version })).toBe('receipt_unknown_version')
  expect(faultOf({ text: forged })).toBe('receipt_unknown_version')
  const later = resealed(text, key, (statement) => ({ ...statement, more: { of: 'a later Drydock' } }))
  expect(faultOf({ text: later })).toBeNull()
})

test('a hostile note is not a receipt, and causes no crash', async () => {
  const { text, key, keys } = await signed()
  const check = (note: string) => checkReceipt({ text: note, ...place, keys })
  const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`
  for (const note of [deep, '{"__proto__":{"ok":true}}', '\u001b[2J', '[]', 'null', '', text.repeat(2)])
    expect(check(note)).toMatchObject({ ok: false, fault: 'receipt_malformed', receipt: null })
  expect(check(seal(Buffer.from(deep), key))).toMatchObject({ ok: false, fault: 'receipt_unknown_version' })
  const planted = resealed(text, key, (statement) =>
    JSON.parse(JSON.stringify(statement).replace('{"_type"', '{"__proto__":{"planted":1},"constructor":1,"_type"')),
  )
  const checked = check(planted)
  expect(checked.ok && (checked.receipt as unknown as { planted?: number }).planted).toBeUndefined()
  expect(({} as { planted?: number }).planted).toBeUndefined()
})

test('made again, also by another Drydock with other facts, a receipt is the same bytes', async () => {
  const { receipts, artifacts, state } = installation()
  const first = await receipts.keep(unsigned())
  const later = createReceipts({ artifacts, installation: state, version: '9.9.9', redact: (text) => text })
  expect(await later.keep(unsigned({ cost: { usd: 7, tokens: 7, calls: 7 } }))).toEqual(first)
  expect(readFileSync(join(artifacts, first.path), 'utf8')).toBe(first.text)
  expect(readdirSync(join(artifacts, 'receipts'))).toEqual([`${commit}.json`])
})

test('a foreign key in its place is replaced by a new one', async () => {
  const { receipts, artifacts, keyFile } = installation()
  const { text, path } = await receipts.keep(unsigned())
  for (const other of ['', 'half', text.replace('payload', 'payloud')]) {
    writeFileSync(join(artifacts, path), other)
    expect((await receipts.keep(unsigned())).text).toBe(text)
  }
  rmSync(keyFile)
  const anew = await receipts.keep(unsigned())
  expect(anew.text).not.toBe(text)
  expect(readFileSync(join(artifacts, path), 'utf8')).toBe(anew.text)
})

test('secrets never reach a receipt', async () => {
  const secret = 'sk-canary-"5f0c1e77"-never-written'
  const { createRedactor } = await import('../../src/domain/secrets/redact.ts')
  const { receipts } = installation(createRedactor([secret]))
  const { text } = await receipts.keep(unsigned({ story: { id: 'one', title: `Use ${secret}` } }))
  expect(unseal(text)?.payload.toString()).toContain('Use [redacted by drydock]')
  expect(unseal(text)?.payload.toString()).not.toContain('5f0c1e77')
})

test('the key is made once, for many at once, and nobody else can read it', async () => {
  const { keyFile } = installation()
  const keys = await Promise.all(Array.from({ length: 8 }, () => signingKey(keyFile)))
  expect(new Set(keys.map(keyId)).size).toBe(1)
  expect(statSync(keyFile).mode & 0o777).toBe(0o600)
  expect(readdirSync(dirname(keyFile))).toEqual(['receipt-key.pem'])
  expect(publicPem(keys[0] as KeyObject)).toMatch(/^-----BEGIN PUBLIC KEY-----\n[\w+/=]+\n-----END PUBLIC KEY-----\n$/)
})

test.each([
  ['can be read by others', (file: string) => chmodSync(file, 0o644), /others can read it/],
  [
    'is a folder',
    (file: string) => {
      rmSync(file)
      mkdirSync(file)
    },
    /it is not a key/,
  ],
  [
    'is a link',
    (file: string) => {
      linkSync(file, `${file}.old`)
      rmSync(file)
      symlinkSync(`${file}.old`, file)
    },
    /ELOOP/,
  ],
  ['is half a key', (file: string) => writeFileSync(file, readFileSync(file).subarray(0, 40)), /not an ed25519 key/],
  [
    'is of another kind',
    (file: string) =>
      writeFileSync(file, generateKeyPairSync('x25519').privateKey.export({ type: 'pkcs8', format: 'pem' })),
    /not an ed25519 key/,
  ],
])('a key that %s is refused with what to do, and never replaced', async (_, spoil, why) => {
  const { keyFile, receipts } = installation()
  await signingKey(keyFile)
  spoil(keyFile)
  await expect(receipts.keep(unsigned())).rejects.toMatchObject({
    code: 'receipt_failed',
    message: expect.stringMatching(why),
    todo: expect.stringContaining('chmod 600'),
  })
  expect(existsSync(keyFile)).toBe(true)
})

test('if no key can be created, the error names the file', async () => {
  const { folder, keyFile, receipts } = installation()
  writeFileSync(join(folder, 'state'), 'in the way')
  await expect(receipts.keep(unsigned())).rejects.toMatchObject({
    code: 'receipt_failed',
    message: expect.stringContaining(keyFile),
  })
  rmSync(join(folder, 'state'))
  expect(await existingKey(keyFile)).toBeNull()
  await receipts.keep(unsigned())
})

test('if no receipt can be stored, the error names the file', async () => {
  const { artifacts, receipts } = installation()
  mkdirSync(artifacts)
  writeFileSync(join(artifacts, 'receipts'), 'in the way')
  await expect(receipts.keep(unsigned())).rejects.toMatchObject({
    code: 'receipt_failed',
    message: expect.stringContaining(join(artifacts, 'receipts')),
  })
})
