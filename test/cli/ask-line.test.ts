import { spawn, spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { follow } from '../scenarios/world/process.ts'

const asking = fileURLToPath(new URL('../../src/cli/screen/ask-line.ts', import.meta.url))

/**
 * Showing the question blocks until the test opens the gate, like a machine that is slow at this
 * point.
 */
const program = (gate: string) => `
import { readFileSync, writeSync } from 'node:fs'
import { askLine } from ${JSON.stringify(asking)}
const { stdin: keyboard, stderr } = process
const show = () => {
  writeSync(1, 'Which value?\\n')
  readFileSync(${JSON.stringify(gate)})
}
const line = await askLine({ stderr }, { keyboard, prompt: '> ', show })
console.log('answer', JSON.stringify(line))
`

test('Ctrl-D counts from the moment that a question is on the screen', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'ask-line-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const [gate, file] = [join(folder, 'gate'), join(folder, 'ask.mjs')]
  expect(spawnSync('mkfifo', [gate]).status).toBe(0)
  await writeFile(file, program(gate))
  const child = spawn('script', ['-qefc', `'${process.execPath}' '${file}'`, '/dev/null'], {
    env: { ...process.env, TERM: 'xterm', SHELL: '/bin/sh' },
  })
  const terminal = follow(child)
  await terminal.line(/^Which value\?/)
  child.stdin.write('\u0004')
  await writeFile(gate, 'go on')
  expect((await terminal.ended).stdout).toContain('answer null')
})
