import fc from 'fast-check'
import { anyText } from './any-text.ts'

/**
 * Texts that break readers: special characters of a shell, a terminal, a regular expression, a
 * path, JSON, or Unicode.
 */
const nastyTexts = [
  '',
  ' ',
  '\n',
  '\r\n',
  '\r',
  '\t',
  '\0',
  '\u001b[31m',
  '\u001b]0;x\u0007',
  '\ufeff',
  '\u2028',
  '\u202e',
  '\ud800',
  '__proto__',
  'constructor',
  'toString',
  '..',
  '../..',
  '/',
  '//',
  '.',
  '.git',
  '~',
  '*',
  '**',
  '$(id)',
  '`id`',
  '$&',
  '${x}',
  '{',
  '}',
  '[',
  ']',
  '"',
  "'",
  '\\',
  '\\u0000',
  '<',
  '>',
  '&#0;',
  '&#x110000;',
  '&a;',
  '<!DOCTYPE',
  ']]>',
  'é',
  'e\u0301',
  '🚢',
  '-0',
  '1e999',
  '9007199254740993',
  'null',
  'true',
  '%00',
  '%2e%2e',
  '--',
  '-',
  '@@',
  '+++ ',
  '--- ',
]

export const nasty: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...nastyTexts),
  anyText(12),
  fc.string({ maxLength: 12 }),
  fc.array(fc.constantFrom(...nastyTexts), { maxLength: 5 }).map((parts) => parts.join('')),
)

/** Any JSON, with odd texts for keys and values. */
export const nastyJson: fc.Arbitrary<unknown> = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    fc.constantFrom<unknown>(null, true, false, 0, -1, 1.5, 1e21, '', [], {}),
    nasty,
    fc.array(tie('value'), { maxLength: 3 }),
    // Parsed, so that `__proto__` is a key like any other.
    fc
      .array(fc.tuple(nasty, tie('value')), { maxLength: 3 })
      .map((entries): unknown =>
        JSON.parse(`{${entries.map(([k, v]) => `${JSON.stringify(k)}:${JSON.stringify(v)}`).join()}}`),
      ),
  ),
})).value

/** A text with inserted, removed, doubled and exchanged parts. */
export function mangled(texts: fc.Arbitrary<string>, parts: fc.Arbitrary<string> = nasty): fc.Arbitrary<string> {
  const change = fc.record({
    from: fc.double({ min: 0, max: 1, noNaN: true }),
    length: fc.nat(40),
    put: parts,
    again: fc.boolean(),
  })
  return fc.tuple(texts, fc.array(change, { maxLength: 4 })).map(([text, changes]) =>
    changes.reduce((now, { from, length, put, again }) => {
      const start = Math.floor(from * now.length)
      const cut = now.slice(start, start + length)
      return now.slice(0, start) + (again ? cut + put + cut : put) + now.slice(start + length)
    }, text),
  )
}

/** A JSON value with one part replaced by another value, or with an additional key. */
export function damaged(values: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const change = fc.record({ at: fc.array(fc.nat(9), { maxLength: 5 }), value: nastyJson, key: fc.option(nasty) })
  return fc.tuple(values, fc.array(change, { maxLength: 3 })).map(([value, changes]) => {
    const root = { root: structuredClone(value) } as Record<string, unknown>
    for (const { at, value: put, key } of changes) exchange(root, { at, put, key })
    return root.root
  })
}

interface Change {
  readonly at: readonly number[]
  readonly put: unknown
  readonly key: string | null
}

function exchange(root: Record<string, unknown>, { at, put, key }: Change): void {
  let holder = root
  let name = 'root'
  for (const step of at) {
    const inside = holder[name]
    if (typeof inside !== 'object' || inside === null) break
    const names = Object.keys(inside)
    if (names.length === 0) break
    holder = inside as Record<string, unknown>
    name = names[step % names.length] ?? 'root'
  }
  const target = key === null ? name : key
  if (Array.isArray(holder) && key !== null) holder.push(put)
  else Object.defineProperty(holder, target, { value: put, enumerable: true, writable: true, configurable: true })
}
