import { z } from 'zod'
import { optionalCoderId } from './coder-id.ts'
import { editorRoles, readingArchitectRoles, scoutRoles } from './roles.ts'
import { defineTool, done, type ReadContext, type ToolOutcome } from './tool.ts'
import { readTextFile } from './workspace-file.ts'

const defaultLines = 1_000

const input = {
  path: z.string().min(1).describe('relative to the repository'),
  offset: z.int().min(1).optional().describe('first line, from 1'),
  limit: z.int().min(1).optional().describe(`lines, default ${defaultLines}`),
}

export const readFile = defineTool({
  kind: 'read',
  name: 'read_file',
  purpose:
    'Read a text file, lines numbered; offset and limit count lines. `artifact:<run_id>/logs/<name>` reads a verification log.',
  input: z.strictObject(input),
  roles: [...editorRoles, ...scoutRoles],
  run: read,
})

export const readCoderFile = defineTool({
  kind: 'read',
  name: 'read_file',
  purpose:
    'Read a text file, lines numbered, in the workspace `coder_id` or, without it, on the run branch. `artifact:<run_id>/logs/<name>` reads a log of a verification of the story.',
  input: z.strictObject({ ...input, coder_id: optionalCoderId }),
  roles: readingArchitectRoles,
  run: read,
})

interface Wanted {
  readonly path: string
  readonly offset?: number | undefined
  readonly limit?: number | undefined
  readonly coder_id?: string | undefined
}

async function read(
  { path, offset = 1, limit = defaultLines, coder_id: coder }: Wanted,
  context: ReadContext,
): Promise<ToolOutcome> {
  if (path.startsWith('artifact:')) {
    const log = await context.artifact(path.slice('artifact:'.length))
    return log.ok ? done(numbered(log.output, offset, limit)) : log
  }
  const file = await readTextFile(path, context, coder)
  return file.ok ? done(numbered(file.text, offset, limit)) : file.outcome
}

function numbered(text: string, offset: number, limit: number): string {
  if (text === '') return '(the file is empty)'
  const lines = text.replace(/\n$/, '').split('\n')
  const shown = lines.slice(offset - 1, offset - 1 + limit)
  if (shown.length === 0) return `(the file has ${lines.length} lines)`
  const body = shown.map((line, i) => `${offset + i}\t${line.replace(/\r$/, '')}`).join('\n')
  const left = lines.length - (offset - 1 + shown.length)
  return left > 0 ? `${body}\n(${left} more lines; go on with offset ${offset + shown.length})` : body
}
