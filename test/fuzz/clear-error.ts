import { expect } from 'vitest'

/** Internal details of a program, in place of the fault in its input. */
const unclear =
  /\bat [^\n]{0,200}:\d+:\d+\b|node:internal|\b(?:Type|Range|Reference|Syntax)Error\b|Cannot read propert|is not (?:a function|iterable)|\[object \w+\]|^\s*(?:undefined|null|Error:?)?\s*$/

/**
 * Fails unless the text is a sentence that names the fault; it must contain `names`, which the
 * reader has to find.
 */
export function expectClearError(text: string, names: readonly string[] = []): void {
  const isSentence = /\p{L}{2,}\P{L}+\S+/u.test(text) && text.length <= 20_000 && !unclear.test(text)
  expect({ text, isSentence }).toEqual({ text, isSentence: true })
  for (const name of names) expect(text).toContain(name)
}
