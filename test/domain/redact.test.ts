import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createRedactor, redacted } from '../../src/domain/secrets/redact.ts'
import { secretHeaders } from '../../src/domain/secrets/secret-headers.ts'
import { secretShapes } from '../../src/domain/secrets/secret-shapes.ts'
import { anyText } from '../fuzz/any-text.ts'
import { canaries } from '../scenarios/world/canaries.ts'

const redact = createRedactor([])
const root = join(import.meta.dirname, '..', '..')

describe('a text in the shape of a secret', () => {
  const places: readonly (readonly [string, (text: string) => string])[] = [
    ['alone', (text) => text],
    ['in words', (text) => `It is ${text} and nothing else.`],
    ['on a line', (text) => `before\n${text}\nand after`],
    ['in JSON', (text) => JSON.stringify({ said: `before\n${text}\nafter` })],
    ['in JSON within JSON', (text) => JSON.stringify(JSON.stringify({ said: `before\n\t${text}\nafter` }))],
    ['in XML', (text) => `<a>${text.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}</a>`],
    ['in a variable', (text) => `export NAME="${text}"`],
    ['in a numbered file', (text) => text.replaceAll(/^/gm, '12\t')],
    ['in a numbered file in JSON', (text) => JSON.stringify({ file: text.replaceAll(/^/gm, '12\t') })],
    ['in a diff', (text) => text.replaceAll(/^/gm, '+')],
    ['in found lines', (text) => text.replaceAll(/^/gm, 'src/a-b.txt:7: ')],
  ]
  test.each(canaries.map((canary) => [canary.family, canary] as const))(
    'is hidden: %s',
    (_family, { text, needles }) => {
      for (const [place, put] of places) {
        const given = put(text)
        const clean = redact(given)
        expect(
          needles.filter((needle) => clean.includes(needle)),
          `${place}: ${clean}`,
        ).toEqual([])
        expect(clean, place).toContain(redacted)
        expect(redact(clean), place).toBe(clean)
        expect(clean.split('\n').length, place).toBe(given.split('\n').length)
        if (place.startsWith('in JSON')) expect(() => JSON.parse(clean)).not.toThrow()
        if (place === 'on a line') expect(clean).toMatch(/^before\n.* after$/s)
      }
    },
  )

  test('is hidden for each shape of the table', () => {
    const unseen = secretShapes.filter(({ pattern, starts }) =>
      canaries.every(({ text }) =>
        starts.every((start) =>
          [...text.matchAll(new RegExp(start, 'g'))].every(({ index }) => !matchesAt(pattern, text, index)),
        ),
      ),
    )
    // Patterns without their own canary; each is a variant of one that has.
    expect(unseen.map(({ name }) => name)).toEqual([
      'Google OAuth secret',
      'Slack app token',
      'Twilio account and its token',
      'Twilio token',
      'session of the dashboard',
    ])
  })

  test.each(['rsa', 'ed25519'] as const)('is hidden: a real %s key, however it was cut', (kind) => {
    const pair = generateKeyPairSync(kind as 'rsa', { modulusLength: 2048 })
    const pem = pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
    const body = pem.split('\n').slice(1, -2)
    for (const cut of [
      pem,
      pem.slice(40),
      pem.slice(0, -40),
      pem.replaceAll('\n', '\r\n'),
      pem.replaceAll('\n', ' '),
    ]) {
      const clean = redact(cut)
      expect(body.filter((line) => clean.includes(line.slice(4, 40)))).toEqual([])
    }
    const open = pair.publicKey.export({ type: 'spki', format: 'pem' }).toString()
    expect(redact(open)).toBe(open)
  })
})

function matchesAt(pattern: RegExp, text: string, at: number): boolean {
  pattern.lastIndex = at
  return pattern.test(text)
}

describe('any other text', () => {
  test.each([
    [
      'hashes',
      `sha512-${randomBytes(64).toString('base64')} ${randomBytes(20).toString('hex')} ${randomBytes(32).toString('hex')}`,
    ],
    ['UUIDs', '7f9c24e5-2f41-4b0c-9f0e-0c5d4f3a1b2c'],
    ['an image', `data:image/png;base64,${randomBytes(3_000).toString('base64')}`],
    [
      'words with the same beginnings',
      'sk-loading-indicator-large task-runner-with-a-long-name-0123456789abcdef hf_model npm_config_registry npm_package_version xoxo-hugs pypi-publish-action',
    ],
    [
      'placeholders',
      'postgres://user:password@localhost/db https://$USER:$TOKEN@host http://{user}:{pass}@host Authorization: Bearer <token> Authorization: Bearer ${token} //r/:_authToken=${NPM_TOKEN}',
    ],
    [
      'code',
      'const authToken = request.headers.authorization; this._authToken=token.value; { "auth": "required" }; Bearer authentication-is-described-in-the-manual',
    ],
    [
      'a marker of a block in code',
      `const begin = '-----BEGIN PRIVATE KEY-----'\nexport function read(text) {\n  return text.startsWith(begin)\n}\n`,
    ],
  ])('stays: %s', (_what, text) => {
    expect(redact(text)).toBe(text)
  })

  test('stays: all of this repository, and its lock file', () => {
    const files = ['src', 'dashboard', 'docs', 'bench'].flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && /\.(ts|tsx|md|json|css)$/.test(entry.name))
        .map((entry) => join(entry.parentPath, entry.name)),
    )
    const changed = [...files, join(root, 'package-lock.json')].filter((file) => {
      const text = readFileSync(file, 'utf8')
      return redact(text) !== text
    })
    expect(changed.map((file) => file.slice(root.length + 1))).toEqual([])
  })

  test('stays: whatever is made by chance', () => {
    fc.assert(fc.property(anyText(400), (text) => redact(text) === text))
  })
})

test('takes time in proportion to the text, whatever it says', () => {
  const hostile = [
    'sk-',
    'eyJ',
    'eyJ-',
    'eyJaaaaaaaaaaaa.',
    'xoxb-',
    'xoxb-a',
    'glpat-',
    'SG.',
    '//a:',
    'Bearer a',
    'authorization: bearer a-',
    '-----BEGIN PRIVATE KEY-----',
    '-----BEGIN PRIVATE KEY-----\n',
    '-----END PRIVATE KEY-----\n',
    'A'.repeat(60).concat('\n'),
    'AKIA',
    '"auth": "',
    '_authToken=',
    `-----BEGIN PRIVATE KEY-----\n${'a:'.repeat(50)}\n`,
    '\\',
    '\\n',
  ]
  for (const piece of hostile) {
    const text = `${piece.repeat(Math.ceil(400_000 / piece.length))}\n-----END PRIVATE KEY-----`
    const start = process.cpuUsage()
    redact(text)
    expect(process.cpuUsage(start).user / 1_000, piece).toBeLessThan(4_000)
  }
})

test('a secret that is known is hidden by value, in words, in JSON and as bytes', () => {
  const known = createRedactor(['geheim-"ä"-0123456789', 'short1'])
  expect(known('it is geheim-"ä"-0123456789, short1')).toBe(`it is ${redacted}, short1`)
  expect(known(JSON.stringify('geheim-"ä"-0123456789'))).toBe(`"${redacted}"`)
  expect(known(Buffer.from('geheim-"ä"-0123456789').toString('latin1'))).toBe(redacted)
})

test('a text is answered the same however often it comes, and whatever came between', () => {
  const secret = 'correct-horse-battery-9-staple'
  const hide = createRedactor([secret])
  const texts = Array.from({ length: 30 }, (_, i) => `${'words '.repeat(100)}${i}: ${i % 3 === 0 ? secret : 'nothing'}`)
  const clean = texts.map((text) => text.replace(secret, redacted))
  for (const order of [texts.keys(), texts.keys(), [29, 0, 29, 28, 1, 0]]) {
    for (const i of order) expect(hide(texts[i] ?? '')).toBe(clean[i])
  }
})

test('values of headers are secrets, apart from those that name who asks', () => {
  const headers = { 'X-Api-Key': 'one', Authorization: 'two', 'X-Title': 'Our tool', 'anthropic-beta': 'files' }
  expect(secretHeaders(headers)).toEqual(['one', 'two'])
})
