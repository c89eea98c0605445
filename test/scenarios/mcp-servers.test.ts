import { describe, expect, onTestFinished, test } from 'vitest'
import { approve, configureDocs } from '../mcp-servers/configure.ts'
import { conversationOf, freshFixture } from './world/conversation.ts'
import { call, change, plan, write } from './world/fixture.ts'

const calls = (...each: readonly object[]) => ({ calls: each.flatMap((one) => (one as { calls: object[] }).calls) })

describe('the user’s MCP servers', () => {
  test('give their tools to the roles that the user names, once the user has approved them', async () => {
    const fixture = await freshFixture(onTestFinished)
    await configureDocs(fixture)
    const hash = await approve(fixture)
    const model = await fixture.replay({
      'editor/task/PLANNING': [plan()],
      'editor/task/CODING': [
        calls(call('docs_search', { query: 'hello' }), call('docs_search', { query: 'again' }), write('new\n')),
        change(),
      ],
    })
    const done = await fixture.drydock('task', 'say new', '--json', '--model', model)
    expect(done.exitCode, done.stderr).toBe(0)
    const results = await conversationOf(fixture, done).results('editor/task/CODING')
    expect(results).toMatchObject([{ ok: true, output: expect.stringContaining('found hello in') }, {}, {}])
    expect(hash).toMatch(/^[0-9a-f]{64}$/)
  })
})
