import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createFixture, type Fixture } from '../world/fixture.ts'
import { conversationOf, manifestOf } from './world/conversation.ts'
import { call, change, greenLanes, plan, resultOf, write } from './world/fixture.ts'
import { gatedLanes, gateReached } from './world/process.ts'

let fixture: Fixture
beforeEach(async () => {
  fixture = await createFixture()
})
afterEach(() => fixture.remove())

describe('a task', () => {
  test('ends with a branch at exactly the commit that was verified', async () => {
    const model = await fixture.replay(greenLanes)
    const done = await fixture.drydock('task', 'say new', '--json', '--model', model)
    expect(done.exitCode, done.stderr).toBe(0)
    expect(done.events[0]).toMatchObject({ type: 'run', run: expect.any(String) })
    const result = resultOf(done)
    expect(result).toMatchObject({
      status: 'DONE',
      branch: 'drydock/say-new',
      cost_usd: 0,
      stories: [{ id: 'task', state: 'DONE', run_id: expect.stringMatching(/^run_\d{8}_\d{6}_[0-9a-z]{6}$/) }],
    })
    const [story] = result.stories as { run_id: string; sha: string; summary: string }[]
    expect(await fixture.git('rev-parse', 'drydock/say-new')).toBe(story?.sha)
    expect(await fixture.git('show', 'drydock/say-new:value.txt')).toBe('new')
    expect(await fixture.git('log', '-1', '--format=%B', 'drydock/say-new')).toContain(`Verified-By: ${story?.run_id}`)
    expect(story?.summary).toContain(story?.run_id)
    expect(story?.summary).toContain('No test is known to cover this change')
    expect(await fixture.git('status', '--porcelain')).toBe('')
    expect(await fixture.git('rev-parse', '--abbrev-ref', 'HEAD')).toBe('main')
  })

  test('tells its editor, and keeps for later, how the user will know that it is done', async () => {
    const criterion = ['--criterion', 'value.txt says new <now>']
    const model = await fixture.replay(greenLanes)
    const done = await fixture.drydock('task', 'say new', ...criterion, '--json', '--model', model)
    const conversation = conversationOf(fixture, done)
    const told = '<acceptance_criteria>\n- value.txt says new'
    expect(await conversation.prompt('editor/task/PLANNING')).toContain(told)
    expect(await conversation.prompt('editor/task/CODING')).toContain(told)
    expect((await conversation.contextFiles()).at(-1)?.content).toContain('- value.txt says new')
  })

  test('leaves a manifest and logs of its verification', async () => {
    const done = await fixture.drydock('task', 'say new', '--json', '--model', await fixture.replay(greenLanes))
    const [story] = resultOf(done).stories as { run_id: string; sha: string }[]
    const manifest = await manifestOf(fixture, story?.run_id ?? '')
    expect(manifest).toMatchObject({
      run_id: story?.run_id,
      commit_sha: story?.sha,
      status: 'PASS',
      commands_executed: [{ name: 'test', command: 'grep -q new value.txt', exit_code: 0, timed_out: false }],
      platform: { sandbox: 'bubblewrap' },
    })
    expect(manifest.tree_sha).toBe(await fixture.git('rev-parse', `${story?.sha}^{tree}`))
  })

  test('names the next branch when the name is taken', async () => {
    await fixture.git('branch', 'drydock/say-new')
    const done = await fixture.drydock('task', 'say new', '--json', '--model', await fixture.replay(greenLanes))
    expect(resultOf(done).branch).toBe('drydock/say-new-2')
  })

  test('without a diff is verified all the same and has no branch', async () => {
    await fixture.write({ 'value.txt': 'new\n' })
    await fixture.git('commit', '-qam', 'new already')
    const lanes = { 'editor/task/PLANNING': [plan()], 'editor/task/CODING': [change()] }
    const done = await fixture.drydock('task', 'say new', '--json', '--model', await fixture.replay(lanes))
    expect(resultOf(done)).toMatchObject({ status: 'NO_CHANGE', branch: null })
    expect(done.events.filter(({ type }) => type === 'verification')).toHaveLength(1)
    expect(await fixture.git('branch', '--list', 'drydock/*')).toBe('')
  })

  test('goes on in the same lane after a failure, with the log in its result', async () => {
    const lanes = {
      'editor/task/PLANNING': [plan()],
      'editor/task/CODING': [
        change('Nothing yet'),
        call('read_file', { path: 'artifact:${run_id}/logs/combined.log' }),
        write('new\n'),
        change(),
      ],
    }
    const done = await fixture.drydock('task', 'say new', '--json', '--model', await fixture.replay(lanes))
    expect(done.events.filter(({ type }) => type === 'verification').map(({ status }) => status)).toEqual([
      'FAIL',
      'PASS',
    ])
    expect(resultOf(done)).toMatchObject({ status: 'DONE' })
  })

  test('can be compared with an earlier commit of its own or of the repository, and with no other', async () => {
    await fixture.write({ 'value.txt': 'older\n' })
    await fixture.git('commit', '-qam', 'older')
    const lanes = {
      'editor/task/PLANNING': [plan()],
      'editor/task/CODING': [
        write('half\n'),
        change('Half'),
        write('new\n'),
        call('get_diff', { base: '${sha}' }),
        call('get_diff', { base: '0123456789' }),
        call('get_diff', { base: await fixture.git('rev-parse', 'main~1') }),
        change(),
      ],
    }
    const done = await fixture.drydock('task', 'say new', '--json', '--model', await fixture.replay(lanes))
    const records = (await fixture.open()).openRecords()
    const lane = `${resultOf(done).run}/editor/task/CODING`
    expect((await records?.toolExecution(lane, 3, 0))?.result).toContain('-half\n+new')
    expect(await records?.toolExecution(lane, 4, 0)).toMatchObject({ success: false })
    expect((await records?.toolExecution(lane, 5, 0))?.result).toContain('-old\n+new')
    await records?.close()
  })

  test('continues with the next slice after a pass', async () => {
    const lanes = {
      'editor/task/PLANNING': [plan({ slices: ['one', 'two'] })],
      'editor/task/CODING': [write('new\n'), change('One', { next_slice: 'two' }), write('newer\n'), change('Two')],
    }
    const done = await fixture.drydock('task', 'say new', '--json', '--model', await fixture.replay(lanes))
    expect(done.events.filter(({ type }) => type === 'verification')).toHaveLength(2)
    expect(await fixture.git('show', 'drydock/say-new:value.txt')).toBe('newer')
  })

  test('names the files that its plan did not', async () => {
    const lanes = {
      'editor/task/PLANNING': [plan()],
      'editor/task/CODING': [write('new\n'), call('write_file', { path: 'extra.txt', content: 'x' }), change()],
    }
    const done = await fixture.drydock('task', 'say new', '--json', '--model', await fixture.replay(lanes))
    expect(resultOf(done).stories).toMatchObject([{ outside_plan: ['extra.txt'] }])
  })

  test('writes context files that are not part of the change', async () => {
    const done = await fixture.drydock('task', 'say new', '--json', '--model', await fixture.replay(greenLanes))
    expect(await fixture.inSlot('coder-001', 'agent/context_001.md')).toContain('Milestone: plan')
    expect(await fixture.inSlot('coder-001', 'agent/context_latest.md')).toContain('Milestone: success')
    expect(await fixture.git('ls-tree', '-r', '--name-only', resultOf(done).branch as string)).not.toContain('agent/')
  })

  test.each([
    ['context files of its own', { 'agent/context_001.md': 'mine\n' }],
    ['a file of that name', { agent: 'mine\n' }],
  ])('leaves a repository that tracks %s alone, and says where its own are', async (_, files) => {
    await fixture.write({ ...files, '.drydock-agent': 'taken, too\n' })
    await fixture.git('add', '-A')
    await fixture.git('commit', '-qm', 'their own')
    const look = call('read_file', { path: '.drydock-agent-2/context_latest.md' })
    const lanes = { ...greenLanes, 'editor/task/CODING': [look, write('new\n'), change()] }
    const done = await fixture.drydock('task', 'say new', '--json', '--model', await fixture.replay(lanes))
    expect(done.exitCode, done.stderr).toBe(0)
    expect(await fixture.git('diff', '--name-only', 'main', String(resultOf(done).branch))).toBe('value.txt')
    const conversation = conversationOf(fixture, done)
    expect(await conversation.prompt('editor/task/CODING')).toContain('`.drydock-agent-2/context_latest.md`')
    expect((await conversation.results('editor/task/CODING'))[0]).toMatchObject({
      ok: true,
      output: expect.stringContaining('Milestone: plan'),
    })
    expect((await fixture.drydock('report')).stdout).toContain('- Context files: `.drydock-agent-2/`')
  })

  test('has its context files elsewhere once the change takes their place, and says what could not be written', async () => {
    const link = call('run_command', {
      command: 'rm -rf agent && ln -s . agent && rm -f value.txt && echo new > value.txt',
    })
    const inTheWay = call('run_command', {
      command: 'mkdir -p .drydock-agent/context_002.md && echo x > .drydock-agent/context_002.md/kept',
    })
    const lanes = {
      'editor/task/PLANNING': [plan()],
      'editor/task/CODING': [link, inTheWay, change()],
    }
    const done = await fixture.drydock('task', 'say new', '--json', '--model', await fixture.replay(lanes))
    expect(done.exitCode, done.stderr).toBe(0)
    expect(await fixture.git('diff', '--name-only', 'main', String(resultOf(done).branch))).toBe('agent\nvalue.txt')
    expect((await conversationOf(fixture, done).story()).data.contextPlace).toEqual({
      folder: '.drydock-agent',
      problem: '.drydock-agent is not a writable folder',
    })
  })
})

describe('--dry-run', () => {
  test('prints a unified diff, writes and verifies nothing', async () => {
    const refs = await fixture.git('for-each-ref')
    const done = await fixture.drydock('task', '--dry-run', 'say new', '--model', await fixture.replay(greenLanes))
    expect(done.exitCode).toBe(0)
    expect(done.stdout).toContain('-old\n+new')
    expect(done.stdout.startsWith('diff --git')).toBe(true)
    expect(await fixture.git('for-each-ref')).toBe(refs)
    expect(await fixture.git('status', '--porcelain')).toBe('')
    const json = await fixture.drydock(
      'task',
      '--dry-run',
      'say new',
      '--json',
      '--model',
      await fixture.replay(greenLanes),
    )
    expect(json.events.filter(({ type }) => type === 'verification')).toEqual([])
  })
})

describe('--apply', () => {
  test('leaves the change in the working tree, uncommitted, without a branch', async () => {
    const done = await fixture.drydock(
      'task',
      '--apply',
      'say new',
      '--json',
      '--model',
      await fixture.replay(greenLanes),
    )
    expect(resultOf(done)).toMatchObject({ status: 'DONE', branch: null, applied: ['value.txt'] })
    expect(await fixture.git('status', '--porcelain')).toBe('M value.txt')
    expect(await fixture.git('branch', '--list', 'drydock/*')).toBe('')
  })

  test('is refused before anything is paid where tracked files have uncommitted changes', async () => {
    await fixture.write({ 'value.txt': 'mine\n' })
    const model = await fixture.replay(greenLanes)
    const refused = await fixture.drydock('task', '--apply', 'say new', '--json', '--model', model)
    expect(refused).toMatchObject({ exitCode: 2, events: [{ type: 'error', code: 'apply_refused' }] })
    expect(refused.stderr).toContain('have uncommitted changes: value.txt')
    expect(await fixture.git('branch', '--list', 'drydock/*')).toBe('')
  })

  test('leaves a branch instead of overwriting a change that was made meanwhile, which status says beside the branch', async () => {
    const model = await fixture.replay(gatedLanes)
    const running = fixture.launch(['task', '--apply', 'say new', '--json', '--model', model])
    await running.line(gateReached)
    const gate = await fixture.gate()
    await fixture.write({ 'value.txt': 'mine\n' })
    await gate.open()
    const done = await running.ended
    expect(done.exitCode).toBe(2)
    expect(await fixture.file('value.txt')).toBe('mine\n')
    expect(resultOf(done)).toMatchObject({ error: { code: 'apply_refused' }, branch: 'drydock/say-new' })
    const { stdout } = await fixture.drydock('status')
    expect(stdout).toMatch(/ NOT_APPLIED .* drydock\/say-new$/m)
    expect(stdout).toContain('Its change is on drydock/say-new.')
  })
})

describe('uncommitted files', () => {
  test('are said not to be part of the work before any model is asked', async () => {
    await fixture.write({ 'value.txt': 'mine\n', 'new file.txt': 'mine\n' })
    const model = await fixture.replay(greenLanes)
    const done = await fixture.drydock('task', 'say new', '--json', '--model', model)
    const types = done.events.map(({ type }) => type)
    expect(types.slice(0, 2)).toEqual(['run', 'uncommitted'])
    expect(done.events[1]).toMatchObject({ count: 2, files: ['value.txt', 'new file.txt'] })
    expect((await fixture.drydock('log')).stdout).toContain('not part of the work 2 uncommitted files: value.txt, new')
  })
})
