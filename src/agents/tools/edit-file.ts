import { createHash } from 'node:crypto'
import { basename } from 'node:path'
import { z } from 'zod'
import { applyEdits } from '../../domain/edit/edit-file.ts'
import { defineTool, done, type PreparedEdit, refuse, type ToolContext, type ToolOutcome } from './tool.ts'
import { readTextFile } from './workspace-file.ts'

const edit = () => ({ old: z.string(), new: z.string(), all: z.boolean().optional() })

export const editFile = defineTool({
  kind: 'edit',
  name: 'edit_file',
  purpose:
    'Replace text in a file. `old` is what read_file shows, without line numbers, and occurs once (or set `all`). `more`: further edits of this file, all or none.',
  input: () =>
    z.strictObject({ path: z.string().min(1), ...edit(), more: z.array(z.strictObject(edit())).max(100).optional() }),
  roles: ['editor_coding'],
  async prepare({ path, more = [], ...first }, context) {
    const file = await readTextFile(path, context)
    if (!file.ok) return file.outcome
    const edits = [first, ...more].map(({ old, new: put, all = false }) => ({ old, new: put, all }))
    const edited = applyEdits(file.text, edits)
    if (!edited.ok) return refuse(`${path}: ${edited.reason}`)
    const places = edited.replaced === 1 ? '1 place' : `${edited.replaced} places`
    const kept = edited.ignored.map((each) => `\nThe ${each} was not as you gave it. The file's own was kept.`)
    const said = `Edited ${path} in ${places}.${kept.join('')}`
    return prepareWrite({ path, text: edited.text, before: file.sha256, said }, context)
  },
})

export interface Write {
  readonly path: string
  readonly text: string
  /** SHA-256 of the present file, null for a missing file. */
  readonly before: string | null
  readonly said: string
}

/**
 * A write whose answer mentions that git ignores the file. Git is asked early, in parallel, except
 * for a write to an ignore file itself.
 */
export function prepareWrite({ path, text, before, said }: Write, context: ToolContext): PreparedEdit {
  const bytes = Buffer.from(text, 'utf8')
  const after = createHash('sha256').update(bytes).digest('hex')
  const early = basename(path) === '.gitignore' ? null : context.ignored([path])
  // Nobody awaits the result if the write is refused.
  early?.catch(() => undefined)
  return {
    expectation: [{ path, before, after }],
    async perform(): Promise<ToolOutcome> {
      const base64 = bytes.toString('base64')
      const reply = await context.session.request({ op: 'write', path, base64, before }, context.signal)
      if (!reply.ok) return refuse(reply.message)
      return done(noteIgnored(said, await (early ?? context.ignored([path]))))
    },
  }
}

/** Adds a note for paths that git ignores: they will not be in the change. */
export async function withIgnored(said: string, paths: readonly string[], context: ToolContext): Promise<string> {
  return noteIgnored(said, await context.ignored(paths))
}

function noteIgnored(said: string, ignored: readonly string[]): string {
  return ignored.length === 0 ? said : `${said}\n${ignored.join(', ')}: ignored by git: not part of the change`
}
