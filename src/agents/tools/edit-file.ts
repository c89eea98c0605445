import { createHash } from 'node:crypto'
import { z } from 'zod'
import { applyEdit } from '../../domain/lane/edit-file.ts'
import { coderRoles } from './roles.ts'
import { defineTool, done, type PreparedEdit, refuse, type ToolContext, type ToolOutcome } from './tool.ts'
import { readTextFile } from './workspace-file.ts'

export const editFile = defineTool({
  kind: 'edit',
  name: 'edit_file',
  purpose:
    'Replace a piece of text in a file. `old` must be there exactly once (or set `all`), written as read_file shows it without line numbers.',
  input: z.strictObject({
    path: z.string().min(1),
    old: z.string(),
    new: z.string(),
    all: z.boolean().optional(),
  }),
  roles: coderRoles,
  async prepare({ path, old, new: replacement, all = false }, context) {
    const file = await readTextFile(path, context)
    if (!file.ok) return file.outcome
    const edit = applyEdit(file.text, { old, new: replacement, all })
    if (!edit.ok) return refuse(`${path}: ${edit.reason}`)
    const places = edit.replaced === 1 ? '1 place' : `${edit.replaced} places`
    return prepareWrite({ path, text: edit.text, before: file.sha256, said: `Edited ${path} in ${places}.` }, context)
  },
})

export interface Write {
  readonly path: string
  readonly text: string
  /** SHA-256 the file has now, null when there is none. */
  readonly before: string | null
  readonly said: string
}

/** A write that says so when git ignores the file. */
export function prepareWrite({ path, text, before, said }: Write, context: ToolContext): PreparedEdit {
  const bytes = Buffer.from(text, 'utf8')
  const after = createHash('sha256').update(bytes).digest('hex')
  return {
    expectation: [{ path, before, after }],
    async perform(): Promise<ToolOutcome> {
      const base64 = bytes.toString('base64')
      const reply = await context.session.request({ op: 'write', path, base64, before }, context.signal)
      if (!reply.ok) return refuse(reply.message)
      return done(await withIgnored(said, [path], context))
    },
  }
}

/** Adds that a path is ignored by git, which means that it will not be in the change. */
export async function withIgnored(said: string, paths: readonly string[], context: ToolContext): Promise<string> {
  const ignored = await context.ignored(paths)
  return ignored.length === 0 ? said : `${said}\n${ignored.join(', ')}: ignored by git: not part of the change`
}
