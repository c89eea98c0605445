import { createHash } from 'node:crypto'
import { z } from 'zod'
import { applyHunks } from '../../domain/edit/apply-hunks.ts'
import { type FilePatch, parsePatch } from '../../domain/edit/parse-patch.ts'
import { limits } from '../../domain/limits.ts'
import { isSecretFile } from '../../domain/secrets/secret-files.ts'
import type { FileChange } from '../../ports/sandbox.ts'
import { withIgnored } from './edit-file.ts'
import { defineTool, done, type PreparedEdit, refuse, type ToolContext, type ToolOutcome } from './tool.ts'
import { readTextFile } from './workspace-file.ts'

const example = `*** Begin Patch
*** Update File: src/a.py
@@ def f():
-    return 1
+    return 2
*** End Patch`

export const applyPatch = defineTool({
  kind: 'edit',
  name: 'apply_patch',
  purpose: 'Change several files together, or none if a part of the patch does not fit.',
  input: () =>
    z.strictObject({
      patch: z
        .string()
        .min(1)
        .describe(
          `as ${example}\nAlso \`*** Add File:\`, \`*** Delete File:\`, and \`*** Move to:\` after \`*** Update File:\``,
        ),
    }),
  roles: ['editor_coding'],
  prepare: ({ patch }, context) => prepare(patch, context, new Set()),
  resume: ({ patch }, context, settled) => prepare(patch, context, settled),
})

async function prepare(
  patch: string,
  context: ToolContext,
  settled: ReadonlySet<string>,
): Promise<PreparedEdit | ToolOutcome> {
  const parsed = parsePatch(patch)
  if (!parsed.ok) return refuse(`Nothing was changed: ${parsed.reason}`)
  const changes: Change[] = []
  const said: string[] = []
  for (const file of parsed.files) {
    const planned = await plan(file, context, settled)
    if ('refused' in planned) return refuse(`Nothing was changed. ${file.path}: ${planned.refused}`)
    changes.push(...planned.changes)
    said.push(planned.said)
  }
  return {
    expectation: changes.map(({ path, before, content }) => ({ path, before, after: content && sha256(content) })),
    async perform() {
      const files = changes.map(({ content, ...change }): FileChange => {
        return { ...change, base64: content === null ? null : content.toString('base64') }
      })
      const reply = await context.session.request({ op: 'change', files }, context.signal)
      if (!reply.ok) return refuse(reply.message)
      const there = changes.flatMap(({ path, content }) => (content === null ? [] : [path]))
      return done(await withIgnored(said.join('\n'), there, context))
    },
  }
}

type Change = Omit<FileChange, 'base64'> & { readonly content: Buffer | null }

type PatchPlan = { readonly changes: readonly Change[]; readonly said: string } | { readonly refused: string }

async function plan(file: FilePatch, context: ToolContext, settled: ReadonlySet<string>): Promise<PatchPlan> {
  const { path } = file
  const target = file.kind === 'update' ? (file.to ?? path) : path
  if (file.kind !== 'delete' && isSecretFile(target))
    return { refused: `${target} is not written: files of this name hold secrets` }
  if (settled.has(target)) return settle(file, context, settled)
  switch (file.kind) {
    case 'add': {
      const content = Buffer.from(file.lines.map((line) => `${line}\n`).join(''))
      return write({ path, before: null, content }, `Added ${path}.`, context)
    }
    case 'delete':
      return remove(path, context)
    case 'update':
      return update(file, context)
    default:
      throw new Error(`unknown part ${file satisfies never}`)
  }
}

/** The rest of a patch part whose target is done: at most the removal of a moved file. */
async function settle(file: FilePatch, context: ToolContext, settled: ReadonlySet<string>): Promise<PatchPlan> {
  const { path } = file
  const isMoved = file.kind === 'update' && file.to !== null
  if (!isMoved || settled.has(path)) return { changes: [], said: `${path} was done before an interruption.` }
  return remove(path, context)
}

async function update(file: Extract<FilePatch, { kind: 'update' }>, context: ToolContext): Promise<PatchPlan> {
  const { path, to, hunks } = file
  const read = await readTextFile(path, context)
  if (!read.ok) return { refused: read.outcome.output }
  const patched = applyHunks(read.text, hunks)
  if (!patched.ok) return { refused: patched.reason }
  if (to === null && patched.text === read.text) return { refused: 'its hunks change nothing' }
  const kept = patched.ignored.map((each) => `\nThe ${each} was not as you gave it. The file's own was kept.`)
  const said = `${to === null ? `Updated ${path}.` : `Moved ${path} to ${to}.`}${kept.join('')}`
  const content = Buffer.from(patched.text)
  if (to === null) return write({ path, before: read.sha256, content }, said, context)
  const moved = await write({ path: to, before: null, content, modeOf: path }, said, context)
  if ('refused' in moved) return moved
  return { ...moved, changes: [...moved.changes, { path, before: read.sha256, content: null }] }
}

async function write(change: Change, said: string, { session, signal }: ToolContext): Promise<PatchPlan> {
  const { path, before, content } = change
  if ((content?.length ?? 0) > limits.fileBytes)
    return { refused: `${path} would be larger than ${limits.fileBytes} bytes` }
  if (before !== null) return { changes: [change], said }
  const now = await session.request({ op: 'hash', path }, signal)
  if (!now.ok) return { refused: now.message }
  if (now.value.sha256 !== null) return { refused: `${path} exists already. Change it with \`*** Update File:\`` }
  return { changes: [change], said }
}

async function remove(path: string, { session, signal }: ToolContext): Promise<PatchPlan> {
  const now = await session.request({ op: 'hash', path }, signal)
  if (!now.ok) return { refused: now.message }
  if (now.value.sha256 === null) return { refused: 'it does not exist' }
  return { changes: [{ path, before: now.value.sha256, content: null }], said: `Deleted ${path}.` }
}

function sha256(content: Uint8Array): string {
  return createHash('sha256').update(content).digest('hex')
}
