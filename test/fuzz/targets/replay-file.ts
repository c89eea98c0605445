import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect } from 'vitest'
import { createReplayModel } from '../../../src/adapters/models/replay-model.ts'
import { DrydockError } from '../../../src/domain/drydock-error.ts'
import { expectClearError } from '../clear-error.ts'
import { damaged, mangled, nasty } from '../nasty.ts'
import type { FuzzTarget } from '../target.ts'

const turns = [
  { text: 'I look.', calls: [{ tool: 'read_file', input: { path: '${coder_id}/${dollar}{sha}' } }] },
  { calls: [{ tool: 'nothing', input: null }], usage: { input: 3, output: 4 } },
  { error: { kind: 'overloaded', retryAfterMs: 3 } },
]
const sample = {
  version: 1,
  lanes: { 'editor/task/PLANNING': turns, 'editor/task/CODING': turns.slice(1) },
  human: [{ escalation: 1, reply: 'Use tabs.' }],
  merge_order: ['one'],
}
const asText = (value: unknown): string => JSON.stringify(value) ?? 'undefined'
const inputs = fc.oneof(
  damaged(fc.constant(sample)).map(asText),
  damaged(fc.constant(sample)).map(asText),
  mangled(fc.constant(asText(sample))),
  nasty,
)

/** The reader of replay files, with any text. */
export const replayFile: FuzzTarget<string> = {
  name: 'replay-file',
  async open() {
    const folder = mkdtempSync(join(tmpdir(), 'drydock-fuzz-'))
    const file = join(folder, 'lanes.json')
    return {
      inputs,
      async check(text) {
        writeFileSync(file, text)
        await play(file)
      },
      async close() {
        rmSync(folder, { recursive: true })
      },
    }
  },
}

async function play(file: string): Promise<void> {
  let model: ReturnType<typeof createReplayModel>
  try {
    model = createReplayModel({ id: 'replay:x', file })
  } catch (error) {
    if (!(error instanceof DrydockError)) throw error
    expect(error.code).toBe('bad_model')
    expectClearError(error.message, [file])
    return
  }
  const tools = [{ name: 'read_file', description: '', inputSchema: {} }]
  for (const lane of ['editor/task/PLANNING', '__proto__', 'constructor'])
    for (const turn of [0, 2, 9]) {
      const facts = { coder_id: 'coder-001', sha: 'a'.repeat(40) }
      const asked = { run: 'run-1', lane, turn, system: '', messages: [], tools, facts, maxOutputTokens: 1 }
      const reply = await model.reply(asked, new AbortController().signal)
      if (reply.stop === 'error' && reply.error.kind === 'replay_missing')
        expectClearError(reply.error.message, [lane, String(turn)])
    }
}
