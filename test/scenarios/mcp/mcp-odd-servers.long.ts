import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { approve, change, configureDocs } from '../../mcp-servers/configure.ts'
import { conversationOf, freshFixture } from '../world/conversation.ts'
import { greenStory, planned, reply, submit, writeFile as writes } from '../world/crew.ts'
import { call, type Fixture } from '../world/fixture.ts'
import { configureUser } from '../world/hook.ts'
import { launch } from '../world/process.ts'
import { buildSeveral, createSeveral } from '../world/several.ts'

/** The user's file names a server with this greeting. */
async function configureRaw(fixture: Fixture, greeting: object): Promise<void> {
  const file = join(fixture.folder, 'greeting.json')
  await writeFile(file, JSON.stringify(greeting))
  const folder = join(import.meta.dirname, '../../mcp-servers')
  const command = [process.execPath, join(folder, 'raw-server.ts'), file]
  await configureUser(fixture, { mcp: { raw: { command, roles: ['editor'], read_only_paths: [folder, file] } } })
}

test('a server without tools leaves stdout to the answer', async () => {
  const fixture = await freshFixture(onTestFinished)
  await configureRaw(fixture, { capabilities: {} })
  const args = ['mcp-servers', 'approve', 'raw', '--json', '--repo', fixture.repo]
  const { exitCode, stdout, stderr } = await launch(args, { env: fixture.env }).ended
  expect([exitCode, stdout.trim().split('\n')], stderr).toEqual([0, [expect.stringMatching(/^\{.*\}$/)]])
})

test('a server of another protocol version is refused with the version, not with how it ended', async () => {
  const fixture = await freshFixture(onTestFinished)
  await configureRaw(fixture, { version: '1999-01-01', capabilities: { tools: {} } })
  const refused = await fixture.drydock('mcp-servers', 'approve', 'raw')
  expect(refused).toMatchObject({ exitCode: 4, stderr: expect.stringContaining('not supported: 1999-01-01') })
})

test('a server that has changed is withdrawn from the stories of every repository of a run', async () => {
  const { fixture } = await createSeveral()
  onTestFinished(() => fixture.remove())
  await configureDocs(fixture)
  await approve(fixture)
  await change(fixture, 'more')
  const stories = [{ id: 'server' }, { id: 'client', repository: 'client', depends_on: ['server'] }]
  const built = await buildSeveral(fixture, {
    lanes: {
      'architect/SCOPING': [reply('Two small repositories.')],
      'architect/STORY_GENERATION': [call('submit_stories', { stories: stories.map(planned) })],
      ...greenStory('server'),
      ...greenStory('client'),
      'editor/server/CODING': [
        call('docs_search', { query: 'hello' }),
        writes('server.txt', 'server\n'),
        submit('server'),
      ],
    },
  })
  expect(built.exitCode, built.stderr).toBe(0)
  const crew = conversationOf(fixture, built)
  expect(await crew.events('mcp_withdrawn')).toMatchObject([{ data: { server: 'docs' } }])
  const systemOf = async (lane: string) => {
    const records = (await fixture.open()).openRecords()
    const machine = await records.machineOf('lane', `${crew.run}/${lane}`).finally(() => records.close())
    return machine?.data.system
  }
  expect(await systemOf('editor/server/CODING')).toContain('docs_search')
  expect(await systemOf('editor/client/CODING')).not.toContain('docs_search')
})
