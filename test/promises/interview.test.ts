import { chmod, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { conversationOf } from '../scenarios/world/conversation.ts'
import { createCrewFixture } from '../scenarios/world/crew.ts'
import type { Fixture } from '../scenarios/world/fixture.ts'
import { ask, lane, question, spec, specFile, text } from '../scenarios/world/interview.ts'
import { launchInTerminal } from '../scenarios/world/process.ts'

let fixture: Fixture
let model: string
beforeEach(async () => {
  fixture = await createCrewFixture()
  model = await fixture.replay({
    [lane]: [ask(question('Which value?'), question('Which case?')), ask(question('Which file?')), spec()],
  })
})
afterEach(() => fixture.remove())

const start = () => ['spec', 'say new', '-o', specFile(fixture), '--model', model, '--no-ui', '--repo', fixture.repo]
/** The only Run. */
async function runId(): Promise<string> {
  const [line] = (await fixture.drydock('status', '--json')).events
  return String(line?.run)
}

const answersIn = async () => {
  const run = { exitCode: 0, stdout: '', stderr: '', events: [{ type: 'run', run: await runId() }] }
  return (await conversationOf(fixture, run).results(lane)).map(({ output }) => output)
}

test('a person at a terminal allows a file to be replaced, answers with a number, Enter, d or words, edits the spec, and is told how to build it', async () => {
  const editor = join(fixture.folder, 'editor')
  await fixture.write({ '../editor': '#!/bin/sh\necho "- edited" >> "$2"\n' })
  await chmod(editor, 0o755)
  const env = { ...fixture.env, EDITOR: `${editor} --wait` }
  await writeFile(specFile(fixture), 'old\n')
  const terminal = launchInTerminal(start(), { env })
  await terminal.line(/exists\. Replace it\?/)
  terminal.type('y\r')
  await terminal.line(/^Which value\?/)
  terminal.type('3\r')
  await terminal.line(/There is no option 3/)
  terminal.type('1\r')
  await terminal.line(/^Which case\?/)
  terminal.type('\r')
  await terminal.line(/^Which file\?/)
  terminal.type('d\r')
  await terminal.line(/Edit it in/)
  terminal.type('\r')
  const { exitCode, stdout } = await terminal.ended
  expect([exitCode, stdout], stdout).toEqual([0, expect.stringContaining(`drydock run ${specFile(fixture)}`)])
  expect(await readFile(specFile(fixture), 'utf8')).toBe(`${text}- edited\n`)
  const answers = await answersIn()
  expect(answers[0]).toContain('1. Which value? One way.\n2. Which case? Another way.')
  expect(answers[1]).toContain('1. you decide')
})
