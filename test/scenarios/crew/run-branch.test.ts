import { afterEach, expect, test } from 'vitest'
import { createCrewFixture, type Fixture } from '../../world/fixture.ts'
import { greenStory, type Lanes, reply, specLanes, submit, writeFile } from '../world/crew.ts'
import { answerStory, play, statesOf } from '../world/crew-script.ts'
import { type CommandResult, call, resultOf } from '../world/fixture.ts'
import { branch, landedOn } from '../world/merge-facts.ts'

let fixture: Fixture
afterEach(() => fixture.remove())

const impatient = { architect: { request_soft_limit: 1, request_hard_limit: 2 } }

const asksFirst = (id: string): Lanes => ({
  ...greenStory(id),
  [`editor/${id}/CODING`]: [
    call('ask_architect', { question: 'Where to?' }),
    writeFile(`${id}.txt`, `${id}\n`),
    submit(id),
  ],
  [`architect/REQUEST/question/${id}/1`]: [call('list_files', { pattern: '*' }), reply('Here.')],
})

/** `early` is on the branch, `late` waits for a human. */
async function halfBuilt(): Promise<string> {
  fixture = await createCrewFixture({ config: impatient })
  const lanes = { ...specLanes('early', 'late'), ...greenStory('early'), ...asksFirst('late') }
  const waiting = await play(fixture, { lanes })
  expect([waiting.exitCode, await fixture.git('log', '--format=%s', `main..${branch}`)]).toEqual([6, 'Add early'])
  return fixture.git('rev-parse', branch)
}

function stopped(result: CommandResult) {
  expect([result.exitCode, resultOf(result)]).toMatchObject([4, { status: 'ERROR', branch }])
  return resultOf(result).error as { readonly message: string; readonly todo: string }
}

async function endsWithBoth() {
  const built = await fixture.drydock('resume', '--json', '--no-wait')
  expect(statesOf(built)).toEqual({ early: 'DONE', late: 'DONE' })
  const landed = await landedOn(fixture)
  expect(landed).toHaveLength(2)
  for (const { sha, verification } of landed) expect(verification).toEqual({ status: 'PASS', commitSha: sha })
}

test('a run branch that the user moved meanwhile is left alone, and what to do is said', async () => {
  const tip = await halfBuilt()
  const own = await fixture.git('commit-tree', '-p', tip, '-m', 'mine', `${tip}^{tree}`)
  await fixture.git('branch', '--force', branch, own)
  const { message, todo } = stopped(await answerStory(fixture, 'late', 'Go on.'))
  expect(message).toContain(own)
  expect(todo).toContain(`git branch ${branch}-mine ${own}`)
  expect(await fixture.git('rev-parse', branch)).toBe(own)
  await fixture.git('branch', `${branch}-mine`, own)
  await fixture.git('update-ref', `refs/heads/${branch}`, tip)
  await endsWithBoth()
  expect(await fixture.git('rev-parse', `${branch}-mine`)).toBe(own)
})

test('a run branch that the user deleted is not made again unasked', async () => {
  const tip = await halfBuilt()
  await fixture.git('branch', '-D', branch)
  const { message, todo } = stopped(await answerStory(fixture, 'late', 'Go on.'))
  expect(message).toContain('no longer exists')
  expect(todo).toContain(`git branch ${branch} ${tip}`)
  expect(await fixture.git('branch', '--list', branch)).toBe('')
  await fixture.git('branch', branch, tip)
  await endsWithBoth()
})

test('a run branch that is checked out is not moved below the files of the user', async () => {
  const tip = await halfBuilt()
  await fixture.git('switch', '--quiet', branch)
  expect(stopped(await answerStory(fixture, 'late', 'Go on.')).message).toContain('is checked out')
  expect([await fixture.git('rev-parse', 'HEAD'), await fixture.git('status', '--porcelain')]).toEqual([tip, ''])
  await fixture.git('switch', '--quiet', 'main')
  await endsWithBoth()
})

test('a name that is taken when the Run starts gets a number', async () => {
  fixture = await createCrewFixture()
  await fixture.git('branch', branch)
  const built = await play(fixture, { lanes: { ...specLanes('one'), ...greenStory('one') } })
  expect(resultOf(built)).toMatchObject({ status: 'DONE', branch: `${branch}-2` })
  expect(await fixture.git('rev-parse', branch)).toBe(await fixture.git('rev-parse', 'main'))
  expect(await landedOn(fixture, `${branch}-2`)).toHaveLength(1)
})

test('a name that is taken before the first merge gets a number then', async () => {
  fixture = await createCrewFixture({ config: impatient })
  await play(fixture, { lanes: { ...specLanes('one'), ...asksFirst('one') } })
  const own = await fixture.git('commit-tree', '-p', 'main', '-m', 'mine', 'main^{tree}')
  await fixture.git('branch', branch, own)
  const built = await answerStory(fixture, 'one', 'Go on.')
  expect(resultOf(built)).toMatchObject({ status: 'DONE', branch: `${branch}-2` })
  expect(await fixture.git('rev-parse', branch)).toBe(own)
  expect(await landedOn(fixture, `${branch}-2`)).toHaveLength(1)
})
