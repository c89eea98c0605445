import { isFile, readTextFile, type Sought } from '../../../app/commands/text-file.ts'
import { usage } from '../../../app/usage.ts'
import { type From, readPiped } from './text-intake.ts'

const sought: Sought = {
  what: 'task',
  name: 'Say it: drydock task "fix the login timeout"   or pipe it in: … | drydock task -',
  say: 'Write in it what to do.',
  shorten: 'Make it shorter, or write a spec: drydock run spec.md',
}

/**
 * The text of a task, which may be empty: the words, piped input for `-`, or a file. Throws
 * DrydockError `bad_usage` for binary data, a text that is too large, or a missing file.
 */
export async function readTask(from: From, words: readonly string[], file: string | undefined): Promise<string> {
  const said = words.join(' ').trim()
  if (file !== undefined) {
    if (said !== '') throw usage('The task is given twice: as text and with --file-text.', 'Use one of them.')
    if (!(await isFile(file))) throw usage(`There is no file ${file}.`, 'Name the file with the text of the task.')
    return (await readTextFile(file, sought)).trim()
  }
  return said === '-' ? (await readPiped(from, sought, { unasked: false })).trim() : said
}
