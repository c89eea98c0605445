import { z } from 'zod'
import { limits } from '../../domain/limits.ts'
import { optionalCoderId } from './coder-id.ts'
import { editorRoles, readingArchitectRoles, scoutRoles, secretRoles } from './roles.ts'
import { defineTool, done, type ReadContext, type ToolOutcome } from './tool.ts'
import { readTextFile } from './workspace-file.ts'

const defaultLines = 1_000

const input = () => ({
  path: z.string().min(1),
  offset: z.int().min(1).optional().describe('first line, from 1'),
  limit: z.int().min(1).optional().describe(`lines, default ${defaultLines}`),
  column: z.int().min(1).optional().describe('first character of that line, from 1'),
})

export const readFile = defineTool({
  kind: 'read',
  name: 'read_file',
  purpose:
    'Read a text file with numbered lines. The answer says how to continue. `artifact:<run_id>/logs/<name>` reads a verification log.',
  input: () => z.strictObject(input()),
  roles: [...editorRoles, ...scoutRoles],
  run: read,
})

export const readCoderFile = defineTool({
  kind: 'read',
  name: 'read_file',
  purpose:
    'Read a text file with numbered lines, in the workspace `coder_id` or, without it, on the run branch. `artifact:<run_id>/logs/<name>` reads a verification log of the story.',
  input: () => z.strictObject({ ...input(), coder_id: optionalCoderId }),
  roles: [...readingArchitectRoles, ...secretRoles],
  run: read,
})

interface ReadInput {
  readonly path: string
  readonly offset?: number | undefined
  readonly limit?: number | undefined
  readonly column?: number | undefined
  readonly coder_id?: string | undefined
}

async function read({ path, coder_id: coder, ...range }: ReadInput, context: ReadContext): Promise<ToolOutcome> {
  for (const [scheme, stored] of [
    ['artifact:', context.artifact],
    ['output:', context.output],
  ] as const) {
    if (!path.startsWith(scheme)) continue
    const text = await stored(path.slice(scheme.length))
    return text.ok ? done(numbered(text.output, range)) : text
  }
  const file = await readTextFile(path, context, coder)
  return file.ok ? done(numbered(file.text, range)) : file.outcome
}

/**
 * As many lines as fit into a result, and the place to continue: a line, or a column of a line that
 * is too long for one result.
 */
function numbered(text: string, { offset = 1, limit = defaultLines, column = 1 }: Omit<ReadInput, 'path'>): string {
  if (text === '') return '(the file is empty)'
  const lines = text.replace(/\n$/, '').split('\n')
  const wanted = lines.slice(offset - 1, offset - 1 + limit)
  if (wanted.length === 0) return `(the file has ${lines.length} lines)`
  const shown: string[] = []
  let room = limits.toolResultChars - limits.toolResultFrame
  for (const [i, each] of wanted.entries()) {
    const number = offset + i
    const from = i === 0 ? column - 1 : 0
    const line = each.replace(/\r$/, '').slice(from)
    const numberedLine = `${number}\t${line}`
    if (numberedLine.length >= room && i > 0) break
    if (numberedLine.length >= room) {
      const end = wholeCharacters(line, room - String(number).length - 1)
      return `${number}\t${line.slice(0, end)}\n(${line.length - end} more characters of this line; continue with offset ${number}, column ${from + end + 1})`
    }
    shown.push(numberedLine)
    room -= numberedLine.length + 1
  }
  const last = offset + shown.length - 1
  if (last < lines.length) shown.push(`(lines ${offset}-${last} of ${lines.length}; continue with offset ${last + 1})`)
  return shown.join('\n')
}

/** A cut must not split a surrogate pair. */
function wholeCharacters(line: string, most: number): number {
  return /[\uD800-\uDBFF]$/.test(line.slice(0, most)) ? most - 1 : most
}
