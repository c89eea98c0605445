import { readFile, writeFile } from 'node:fs/promises'
import { relative } from 'node:path'
import { shellWord } from '../../../app/text/shell-word.ts'
import { writtenSpecOf } from '../../../domain/run/written-spec.ts'
import { startProgram } from '../../../processes/start-program.ts'
import type { Context } from '../../context.ts'
import { confirm, keyboardOf } from '../../screen/ask-line.ts'

export interface Delivery {
  /** The file to write, instead of the file that the interview was started with. */
  readonly file?: string | undefined
  /** True if the user allows an existing file to be replaced. */
  readonly overwrite?: boolean | undefined
  /** Flags of the interview that building the spec needs as well. */
  readonly flags?: string
}

/**
 * Writes the spec of an interview into its file, offers to edit it, and prints how to build it.
 * Replaces a file only with permission. A file that already contains exactly this spec counts as
 * written.
 */
export async function deliverSpec(context: Context, answer: unknown, delivery: Delivery): Promise<void> {
  const { output, terminal } = context
  const spec = writtenSpecOf(answer)
  if (spec === null) return
  const file = delivery.file ?? spec.file
  if (file === null) {
    output.note('Save it:   drydock spec --continue -o spec.md')
    return
  }
  const name = shownPath(file)
  const written = await write(file, spec.text, delivery.overwrite === true)
  if (written !== 'written' && written !== 'same') {
    output.note(`${name} ${written}, so the spec was not written. Write it elsewhere:`)
    output.note('Save it:   drydock spec --continue -o <another file>')
    return
  }
  output.note(`Spec:      ${name}`)
  const keyboard = output.json ? null : keyboardOf(terminal)
  const editor = terminal.env.VISUAL || terminal.env.EDITOR
  const isNew = written === 'written'
  if (
    isNew &&
    keyboard &&
    editor &&
    (await confirm(terminal, { keyboard, question: `Edit it in ${editor}?`, usual: true }))
  )
    await edit(context, editor, file)
  output.note(`Build it:  drydock run ${shellWord(name)}${delivery.flags ?? ''}`)
}

/**
 * Writes the file. Returns the reason why it was not written, to be printed after its name, or that
 * it was written or already up to date.
 */
async function write(file: string, text: string, overwrite: boolean): Promise<string> {
  try {
    const before = await readFile(file, 'utf8').catch(() => null)
    if (before === text) return 'same'
    if (before !== null && !overwrite) return 'exists and differs'
    await writeFile(file, text, { flag: overwrite ? 'w' : 'wx' })
    return 'written'
  } catch (error) {
    return `cannot be written (${error instanceof Error ? error.message : error})`
  }
}

/** Opens the editor; `$EDITOR` may contain arguments. */
async function edit({ terminal, output }: Context, editor: string, file: string): Promise<void> {
  const [program = '', ...args] = editor.trim().split(/\s+/)
  const { promise, resolve } = Promise.withResolvers<string | null>()
  const child = startProgram(program, [...args, file], { env: terminal.env, cwd: process.cwd(), stdio: 'inherit' })
  child.once('error', (error) => resolve(error.message))
  child.once('close', (code) => resolve(code === 0 ? null : `it ended with exit code ${code ?? 'none (killed)'}`))
  const problem = await promise
  if (problem !== null) output.note(`The editor did not work: ${problem}`)
}

export function shownPath(file: string): string {
  const near = relative(process.cwd(), file)
  return near.startsWith('..') ? file : near
}
