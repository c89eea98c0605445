import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createRedactor } from '../../src/domain/secrets/redact.ts'
import { createSpeechRedactor } from '../../src/domain/secrets/redact-speech.ts'
import { canaries } from '../scenarios/world/canaries.ts'

const phrase = 'four words and 7 of them'
const value = 'plain-value-0123456789'
const redact = createRedactor([phrase, value])
const speech = createSpeechRedactor([phrase, value], redact)

/** All shown texts while a text arrives character by character. */
function shownOf(text: string): readonly string[] {
  return Array.from({ length: text.length }, (_, i) => speech(text.slice(0, i + 1)))
}

const secrets = [
  ...canaries,
  { family: 'a value of several words', text: phrase, needles: [phrase.slice(0, 14)] },
  { family: 'a value', text: value, needles: [value.slice(0, 12)] },
]

test.each(secrets)('$family: nothing of it is ever shown while it comes in pieces', ({ text, needles }) => {
  const all = shownOf(`Here it is: ${text}\nand so it goes on, with more words behind it.`)
  // A part of a needle reveals as much as all of it.
  const parts = needles.map((needle) => needle.slice(0, 12))
  expect(all.filter((shown) => parts.some((part) => shown.includes(part)))).toEqual([])
  expect(all.at(-1)).toContain('with more words')
})

test('the end of a private key whose beginning is not there is not shown before the words that follow it', () => {
  const [key] = canaries
  const lines = key?.text.split('\n').slice(1) ?? []
  const all = shownOf(`A line.\n${lines.join('\n')}\nand more words`)
  expect(all.filter((shown) => key?.needles.some((needle) => shown.includes(needle.slice(0, 12))))).toEqual([])
})

test('words without secrets are shown unchanged, one word behind', () => {
  fc.assert(
    fc.property(fc.array(fc.stringMatching(/^[a-z]{1,9}$/), { minLength: 2, maxLength: 12 }), (words) => {
      const text = words.join(' ')
      expect(speech(text)).toBe(`${words.slice(0, -1).join(' ')} `)
      expect(speech(`${text} `)).toBe(`${text} `)
    }),
  )
})
