import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createCrewFixture, type Fixture } from '../../world/fixture.ts'
import {
  approve,
  build,
  finding,
  greenStory,
  type Lanes,
  needsChanges,
  reply,
  specLanes,
  storyPlan,
  submit,
  writeFile,
} from '../world/crew.ts'
import { type CrewConversation, crewOf } from '../world/crew-conversation.ts'
import { type CommandResult, call, resultOf } from '../world/fixture.ts'

/** Stories that are built side by side, each with an unusual review. */
const unusual: Readonly<Record<string, Lanes>> = {
  planned: {
    'editor/planned/PLANNING': [storyPlan('planned'), storyPlan('planned')],
    'architect/REQUEST/plan/planned/1': [needsChanges('Which file?', [finding({ claim: 'names no file' })])],
    'architect/REQUEST/plan/planned/2': [approve({ findings: [finding({ severity: 'minor', claim: 'be brief' })] })],
  },
  fixed: {
    'editor/fixed/CODING': [
      writeFile('fixed.txt', 'wrong\n'),
      submit('fixed'),
      writeFile('fixed.txt', 'right\n'),
      submit('fixed'),
    ],
    'architect/REQUEST/code/fixed/1': [
      needsChanges('It says the wrong thing.', [
        finding({ file: 'fixed.txt', line: 1, claim: 'says wrong' }),
        finding({ severity: 'minor', file: 'fixed.txt', claim: 'no comment' }),
        finding({ severity: 'blocker', file: 'fixed.txt', claim: 'is not a haiku' }),
      ]),
    ],
    'architect/REQUEST/code/fixed/2': [approve({ accepted: ['c3'] })],
  },
  minor: {
    'architect/REQUEST/code/minor/1': [needsChanges('Almost.', [finding({ severity: 'minor', claim: 'a nit' })])],
  },
  blocked: {
    'editor/blocked/CODING': [writeFile('blocked.txt', '1\n'), submit('blocked'), submit('blocked')],
    'architect/REQUEST/code/blocked/1': [
      approve({ findings: [finding({ severity: 'blocker', claim: 'loses data' })] }),
    ],
    'architect/REQUEST/code/blocked/2': [approve()],
  },
  vague: {
    'editor/vague/CODING': [writeFile('vague.txt', '1\n'), submit('vague'), submit('vague')],
    'architect/REQUEST/code/vague/1': [needsChanges('Not like this.', [])],
    'architect/REQUEST/code/vague/2': [approve()],
  },
  nothing: {
    'editor/nothing/CODING': [
      submit('nothing'),
      call('no_change', { reason: 'It is there.', evidence: 'value.txt:1' }),
    ],
    'architect/REQUEST/completion/nothing/1': [needsChanges('Where is it?', [finding({ claim: 'no evidence' })])],
    'architect/REQUEST/completion/nothing/2': [approve()],
  },
  something: {
    'editor/something/CODING': [submit('something'), writeFile('something.txt', '1\n'), submit('something')],
    'architect/REQUEST/completion/something/1': [needsChanges('There is no something.txt.')],
    'architect/REQUEST/code/something/1': [approve()],
  },
  asking: {
    'editor/asking/PLANNING': [call('ask_architect', { question: 'Which folder?' }), storyPlan('asking')],
    'architect/REQUEST/question/asking/1': [reply('The root.')],
    'editor/asking/CODING': [
      writeFile('asking.txt', 'asked\n'),
      call('ask_architect', { question: 'Is asking.txt right?' }),
      submit('asking'),
    ],
    'architect/REQUEST/question/asking/2': [
      call('read_file', { path: 'asking.txt', coder_id: '${coder_id}' }),
      reply('It is.', { verdict: 'REJECTED' }),
    ],
  },
}

let fixture: Fixture
let built: CommandResult
let crew: CrewConversation

beforeAll(async () => {
  fixture = await createCrewFixture()
  const names = Object.keys(unusual)
  const lanes = names.map((name) => ({ ...greenStory(name), ...unusual[name] }))
  built = await build(fixture, Object.assign(specLanes(...names), ...lanes), '--max-coders', '8')
  expect(built.exitCode, built.stdout + built.stderr).toBe(0)
  crew = crewOf(fixture, built)
})
afterAll(() => fixture.remove())

const way = (...states: readonly string[]) => ['SETUP PLANNING PLAN_REVIEW', ...states].join(' ')
const toTheEnd = 'VERIFYING CODE_REVIEW MERGING DONE'

describe('a plan', () => {
  test('that is sent back goes on in the same lane, with the findings, and is reviewed again with what has changed', async () => {
    expect(await crew.path('planned')).toBe(way('PLANNING PLAN_REVIEW CODING', toTheEnd))
    const [sentBack] = await crew.results('editor/planned/PLANNING')
    expect(sentBack).toMatchObject({ tool: 'submit_plan', ok: false, output: expect.stringContaining('names no file') })
    expect(await crew.answers('planned')).toEqual(['plan 1 NEEDS_CHANGES', 'plan 2 APPROVED', 'code 1 APPROVED'])
    const again = await crew.prompt('architect/REQUEST/plan/planned/2')
    expect(again).toContain('round 2')
    expect(again).toContain('names no file')
    expect(again).toContain('This is the same plan as in the round before.')
  })

  test('that is approved reaches the coder with the architect’s words and its minor findings', async () => {
    const coding = await crew.prompt('editor/planned/CODING')
    expect(coding).toContain('Good.')
    expect(coding).toContain('be brief')
    expect(coding).not.toContain('names no file')
  })
})

describe('a change', () => {
  test('that is sent back is fixed in the same lane, verified and reviewed anew', async () => {
    expect(await crew.path('fixed')).toBe(way('CODING VERIFYING CODE_REVIEW CODING', toTheEnd))
    const sentBack = (await crew.results('editor/fixed/CODING'))[1]
    expect(sentBack).toMatchObject({ tool: 'submit_change', ok: false })
    expect(sentBack?.output).toMatch(/NEEDS_CHANGES[\s\S]*c1[\s\S]*says wrong[\s\S]*c2[\s\S]*no comment/)
    expect(await fixture.git('show', 'drydock/make-the-files:fixed.txt')).toBe('right')
  })

  test('is shown to its second review with the delta and each finding, whose states are kept', async () => {
    const first = await crew.request('code', 'fixed')
    const again = await crew.prompt('architect/REQUEST/code/fixed/2')
    expect(again).toContain(`What has changed since ${first.data.sha}`)
    expect(again).toMatch(/<delta>[\s\S]*-wrong\n\+right[\s\S]*<\/delta>/)
    for (const known of ['c1', 'c2', 'c3', 'says wrong', 'no comment', 'is not a haiku']) expect(again).toContain(known)
    const { reviews } = (await crew.story('fixed')).data
    expect(reviews.code.findings.map(({ id, state, round }) => ({ id, state, round }))).toEqual([
      { id: 'c1', state: 'closed', round: 1 },
      { id: 'c2', state: 'closed', round: 1 },
      { id: 'c3', state: 'accepted', round: 1 },
    ])
  })

  test('is not held by minor findings, whatever the verdict says', async () => {
    expect(await crew.answers('minor')).toEqual(['plan 1 APPROVED', 'code 1 APPROVED'])
    expect(await crew.path('minor')).toBe(way('CODING', toTheEnd))
  })

  test('is held by an open blocker, whatever the verdict says', async () => {
    expect(await crew.answers('blocked')).toEqual(['plan 1 APPROVED', 'code 1 NEEDS_CHANGES', 'code 2 APPROVED'])
    expect((await crew.results('editor/blocked/CODING'))[1]?.output).toContain('loses data')
  })

  test('that is sent back without a finding has the words as one, so that the next review looks at them', async () => {
    expect(await crew.answers('vague')).toEqual(['plan 1 APPROVED', 'code 1 NEEDS_CHANGES', 'code 2 APPROVED'])
    expect((await crew.results('editor/vague/CODING'))[1]?.output).toContain('Not like this.')
    expect(await crew.prompt('architect/REQUEST/code/vague/2')).toMatch(/earlier_findings[\s\S]*Not like this\./)
  })

  test('is merged with the verification and the review that it was approved with', async () => {
    const { data } = await crew.request('code', 'fixed', 2)
    const body = await fixture.git('log', '-1', '--format=%B', '--grep=^Add fixed$', 'drydock/make-the-files')
    const candidate = (await crew.story('fixed')).data.attempts.at(-1)
    expect(data.sha).toBe(candidate?.sha)
    expect(body).toContain('Reviewed-By: architect (code/fixed/2)')
    expect(body).toMatch(/^Verified-By: run_\w+$/m)
  })
})

describe('a story without a change', () => {
  test('is done once the architect agrees, and leaves no commit', async () => {
    expect(await crew.path('nothing')).toBe(
      way('CODING VERIFYING COMPLETION_REVIEW CODING VERIFYING COMPLETION_REVIEW DONE'),
    )
    expect(await crew.answers('nothing')).toEqual([
      'plan 1 APPROVED',
      'completion 1 NEEDS_CHANGES',
      'completion 2 APPROVED',
    ])
    expect(await crew.prompt('architect/REQUEST/completion/nothing/2')).toContain('no evidence')
    expect(await crew.prompt('architect/REQUEST/completion/nothing/2')).toContain('> It is there.')
    expect(await fixture.git('log', '--format=%s', 'drydock/make-the-files')).not.toContain('Add nothing')
  })

  test('becomes one with a change when the architect misses something', async () => {
    expect(await crew.path('something')).toBe(way('CODING VERIFYING COMPLETION_REVIEW CODING', toTheEnd))
    expect(await fixture.git('show', 'drydock/make-the-files:something.txt')).toBe('1')
  })
})

describe('a question', () => {
  test('is answered in the editor’s lane, while planning and while coding, and has no verdict', async () => {
    expect(await crew.path('asking')).toBe(
      'SETUP PLANNING QUESTION PLANNING PLAN_REVIEW CODING QUESTION CODING VERIFYING CODE_REVIEW MERGING DONE',
    )
    expect(await crew.answers('asking')).toEqual(['question 1', 'plan 1 APPROVED', 'question 2', 'code 1 APPROVED'])
    const answers = [
      ...(await crew.results('editor/asking/PLANNING')),
      ...(await crew.results('editor/asking/CODING')),
    ].filter(({ tool }) => tool === 'ask_architect')
    expect(answers.map(({ ok, output }) => ({ ok, output }))).toEqual([
      { ok: true, output: 'The root.' },
      { ok: true, output: 'It is.' },
    ])
  })

  test('sees the workspace as it is when it is asked', async () => {
    expect(await crew.results('architect/REQUEST/question/asking/2')).toMatchObject([{ ok: true, output: '1\tasked' }])
  })
})

test('every request has its own lane that names a coder and a commit', async () => {
  const lanes = (await crew.lanes()).filter((lane) => lane.startsWith('architect/REQUEST/'))
  expect(lanes.length).toBe(new Set(lanes).size)
  for (const lane of lanes) {
    const [, , kind = '', story = '', round] = lane.split('/')
    const { data, state } = await crew.request(kind, story, Number(round))
    expect(state).toBe('ANSWERED')
    expect(data.sha).toMatch(/^[0-9a-f]{40}$/)
    const prompt = await crew.prompt(lane)
    expect(prompt).toContain(data.sha)
    expect(prompt).toContain(`coder_id: "${data.coder}"`)
  }
  expect(resultOf(built)).toMatchObject({ status: 'DONE' })
})
