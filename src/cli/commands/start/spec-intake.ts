import { isFile, readTextFile, type Sought, toText } from '../../../app/commands/text-file.ts'
import { usage } from '../../../app/usage.ts'
import type { Spec } from '../../../domain/run/spec.ts'
import { type From, readPiped } from './text-intake.ts'

const builtSpec: Sought = {
  what: 'spec',
  name: 'Name one: drydock run spec.md   or pipe it in: … | drydock run -',
  say: 'Write in it what to build.',
  shorten: 'Make it shorter, or build it in parts.',
}

/** The text that an interview begins with. */
export const wish: Sought = {
  what: 'text',
  name: 'Say what you want: drydock spec "durations should understand weeks"   or name a file',
  say: 'Say what you want.',
  shorten: 'Make it shorter.',
}

/**
 * The spec of a command line: a file, piped input for `-` or no words, or a line of text. Throws
 * DrydockError `bad_usage` for binary data, a text that is too large, or a missing file.
 */
export async function readSpec(from: From, words: readonly string[], sought = builtSpec): Promise<Spec> {
  const named = words.join(' ')
  if (words.length === 0 || named === '-') {
    return { text: await readPiped(from, sought, { unasked: words.length === 0 }), source: 'stdin' }
  }
  if (await isFile(named)) return { text: await readTextFile(named, sought), source: named }
  if (named.trim() !== '' && !/\s/.test(named)) {
    throw usage(`There is no file ${named}.`, 'Name a Markdown file, or say in a few words what to build.')
  }
  return { text: toText(Buffer.from(named), sought, 'text'), source: 'text' }
}
