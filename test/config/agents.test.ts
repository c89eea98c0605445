import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { agentSettings } from '../../src/config/agent-settings.ts'
import { chooseAgent } from '../../src/config/choose-agent.ts'
import { loadUserConfig } from '../../src/config/load.ts'
import { knownAgentNames, knownAgents } from '../../src/domain/agents/known-agents.ts'
import { hostedNames, hostedProviders } from '../../src/domain/providers.ts'

let home: string

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'drydock-agents-'))
})
afterEach(() => rm(home, { recursive: true }))

async function sources(config: object = {}, env: Readonly<Record<string, string>> = {}) {
  const all = { HOME: home, ...env }
  const folder = join(home, '.config', 'drydock')
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'config.json'), JSON.stringify(config))
  return { user: await loadUserConfig(all), env: all }
}

async function chosen(name: string, ...given: Parameters<typeof sources>) {
  return chooseAgent(name, await sources(...given))
}

const google = { GOOGLE_GENERATIVE_AI_API_KEY: 'key' }

describe('an agent that Drydock knows', () => {
  test('needs no entry: it uses the first provider with a key that it can speak to', async () => {
    const env = { OPENAI_API_KEY: 'key', ...google }
    expect(await chosen('gemini', {}, env)).toMatchObject({
      command: ['gemini', '--acp'],
      model: { provider: 'google', kind: 'google', name: hostedProviders.google.example },
    })
    expect(await chosen('opencode', {}, env)).toMatchObject({ model: { provider: 'openai' } })
  })

  test("takes the user's default model before that where it can speak to its provider", async () => {
    const config = { models: { default: 'google:gemini-own', architect: 'anthropic:opus' } }
    const env = { OPENAI_API_KEY: 'key', ANTHROPIC_API_KEY: 'key', ...google }
    expect((await chosen('opencode', config, env)).model).toMatchObject({ provider: 'google', name: 'gemini-own' })
    expect((await chosen('claude', config, env)).model).toMatchObject({ provider: 'anthropic', name: 'opus' })
    expect((await chosen('codex', config, env)).model).toMatchObject({ provider: 'openai' })
  })

  test('is changed by an entry with its name only in what that names', async () => {
    const config = { agents: { qwen: { provider: 'ollama', model: 'qwen3', env: { A: 'b' } } } }
    expect(await chosen('qwen', config)).toMatchObject({
      command: ['qwen', '--acp'],
      model: { provider: 'ollama', kind: 'ollama', name: 'qwen3' },
      env: { A: 'b' },
    })
  })

  test('is refused with what it lacks: a key, a provider of its kind, a model', async () => {
    await expect(chosen('gemini', {}, { GEMINI_API_KEY: 'x' })).rejects.toMatchObject({
      code: 'no_key',
      message: expect.stringContaining('GOOGLE_GENERATIVE_AI_API_KEY is not set. GEMINI_API_KEY is another one.'),
    })
    await expect(chosen('pi', { agents: { pi: { provider: 'openai' } } })).rejects.toThrow('OPENAI_API_KEY is not set')
    await expect(chosen('claude', { agents: { claude: { provider: 'openai' } } })).rejects.toMatchObject({
      code: 'bad_model',
      message: 'Claude Code cannot use the provider openai: it speaks to those of kind anthropic.',
    })
    await expect(chosen('pi', { agents: { pi: { provider: 'vllm' } } })).rejects.toThrow('No model of vllm is named')
    await expect(chosen('nobody')).rejects.toThrow(`The known ones are ${knownAgentNames.join(', ')}.`)
  })
})

describe("the user's own agent", () => {
  const mine = { command: ['my-agent'], provider: 'anthropic', model: 'opus' }

  test('gets the variables of its kind of provider, before those of its entry', async () => {
    await writeFile(join(home, 'my-agent'), '#!/bin/sh\n')
    await chmod(join(home, 'my-agent'), 0o755)
    const config = { agents: { mine: { ...mine, env: { ANTHROPIC_MODEL: 'other' } } } }
    const settings = agentSettings(
      'mine',
      'http://gateway',
      await sources(config, { PATH: home, ANTHROPIC_API_KEY: 'key' }),
    )
    expect(settings).toMatchObject({
      provider: 'anthropic',
      env: { ANTHROPIC_BASE_URL: 'http://gateway', ANTHROPIC_MODEL: 'other' },
    })
    expect(settings.files(['tools'])).toEqual({})
  })

  test('must be on PATH', async () => {
    const from = await sources({ agents: { mine } }, { PATH: home, ANTHROPIC_API_KEY: 'key' })
    expect(() => agentSettings('mine', 'http://gateway', from)).toThrow('my-agent is not on PATH')
  })

  test('shows its login at the same place of its home, and has no gateway then', async () => {
    const config = { agents: { mine: { command: ['~/my-agent'], credentials: ['~/.mine/auth.json'] } } }
    expect(await chosen('mine', config, google)).toMatchObject({
      command: [join(home, 'my-agent')],
      model: null,
      credentials: [{ path: join(home, '.mine', 'auth.json'), at: '.mine/auth.json' }],
    })
  })

  test.each([
    [{ mine: {} }, 'agents.mine.command: is missing'],
    [{ mine: { ...mine, command: ['./mine'] } }, 'agents.mine.command[0]: must be the name of a program'],
    [{ mine: { ...mine, credentials: ['~/../other'] } }, 'agents.mine.credentials[0]: must not hold ".."'],
    [{ mine: { ...mine, credentials: ['/etc/shadow'] } }, 'agents.mine.credentials[0]: must start with "~/"'],
    [{ mine: { ...mine, key: 'x' } }, 'agents.mine.key: unknown key'],
    [{ 'my agent': mine }, 'agents["my agent"]'],
  ])('is refused with the key that is wrong: %j', async (agents, expected) => {
    await expect(sources({ agents })).rejects.toThrow(expected)
  })
})

test.each([
  [{ default: 'agent:gemini' }, 'models.default: agent:gemini can only be the editor'],
  [{ architect: 'agent:gemini' }, 'models.architect: agent:gemini can only be the editor'],
  [{ editor: ['agent:gemini', 'openai:gpt-5'] }, 'models.editor: agent:gemini must be the only one'],
])('an agent cannot be the model of another role, nor a fallback for one: %j', async (models, expected) => {
  await expect(sources({ models })).rejects.toThrow(expected)
})

test.each(Object.entries(knownAgents))(
  'no file and no variable of %s holds anything but the placeholder',
  (_, agent) => {
    for (const kind of agent.kinds) {
      const place = {
        kind,
        origin: 'http://gateway',
        model: 'some-model',
        key: 'placeholder',
        tools: ['tools'],
      } as const
      const said = JSON.stringify(agent.surroundings(place))
      for (const wanted of ['http://gateway', 'some-model', 'placeholder']) expect(said).toContain(wanted)
      for (const name of hostedNames) expect(said).not.toContain(new URL(hostedProviders[name].baseURL).host)
    }
  },
)
