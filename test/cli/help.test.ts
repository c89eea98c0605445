import { readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { beforeAll, describe, expect, test } from 'vitest'
import { commandsDoc, wholeProgram, withCommands } from '../../scripts/command-list.ts'
import { runHere } from '../scenarios/world/fixture.ts'

/** No command line in this file reaches a state or a configuration. */
const env = { PATH: process.env.PATH ?? '', HOME: tmpdir() }

interface HelpPage {
  readonly name: string
  readonly help: string
  /** Each option in written form, with a value if it needs one. */
  readonly options: ReadonlyMap<string, readonly string[]>
  /** The required arguments. */
  readonly args: readonly string[]
}

/** The commands, found through the help texts like a person would. */
let commands: readonly HelpPage[]

beforeAll(async () => {
  const { stdout } = await runHere(['--help'], env)
  const listed = stdout.slice(0, stdout.indexOf('Examples:')).matchAll(/^ {2}([a-z]+) .*$/gm)
  const names = [...listed].map(([, name = '']) => name).filter((name) => name !== 'help')
  commands = await Promise.all(names.map(read))
})

async function read(name: string): Promise<HelpPage> {
  const { exitCode, stdout: help } = await runHere(['help', name], env)
  expect(exitCode, name).toBe(0)
  const options = new Map(
    [...help.matchAll(/^ {2}(?:-\w, )?(--[a-z-]+)( <[^>]+>)?/gm)].map(([, flag = '', value]) => [
      flag,
      value ? [flag, '1'] : [flag],
    ]),
  )
  const [line = ''] = help.split('\n')
  const args = [...line.matchAll(/<[^>]+>/g)].map(() => 'x')
  // `drydock notify` without `--test` does not check its other options.
  return { name, help, options, args: name === 'notify' ? ['--test'] : args }
}

describe('each command', () => {
  test('refuses every option that its help does not name, and says which commands have it', async () => {
    const all = new Map(commands.flatMap(({ options }) => [...options]))
    expect(commands.length).toBeGreaterThan(20)
    expect(all.size).toBeGreaterThan(30)
    const program = wholeProgram()
    for (const { name, args, options } of commands) {
      for (const [flag, written] of all) {
        // A spelling of the version before works without being in the help.
        const own = program.commands.find((each) => each.name() === name)?.options ?? []
        if (options.has(flag) || own.some(({ long, hidden }) => hidden && long === flag)) continue
        const refused = await program.parseAsync([name, ...args, ...written], { from: 'user' }).catch((error) => error)
        expect(refused.message).toBe(`drydock ${name} has no option ${flag}.`)
        expect(refused.todo).toContain(`drydock ${commands.find((each) => each.options.has(flag))?.name}`)
      }
    }
  })

  test('is refused such an option with exit code 2', async () => {
    for (const { name, args, options } of commands) {
      const flag = options.has('--yes') ? '--lane' : '--yes'
      const { exitCode, stderr } = await runHere([name, ...args, flag], env)
      expect([exitCode, stderr.split('\n')[0]]).toEqual([2, `drydock: drydock ${name} has no option ${flag}.`])
    }
  })

  test('has examples, which use only what it has', () => {
    for (const { name, help, options } of commands) {
      const examples = help.slice(help.indexOf('\nExamples:\n')).match(/^ {2}drydock .*$/gm) ?? []
      expect(examples.length, name).toBeGreaterThan(0)
      for (const example of examples) {
        const [line = ''] = example.trim().split(/ {3,}/)
        expect(line.split(' ')[1], example).toBe(name)
        const flags = line.match(/(?<= )--[a-z-]+/g) ?? []
        expect(
          flags.filter((flag) => !options.has(flag)),
          example,
        ).toEqual([])
      }
    }
  })
})

test.each(['-v', '-V', '--version'])('%s prints the version', async (flag) => {
  const { exitCode, stdout } = await runHere([flag], env)
  expect({ exitCode, stdout }).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) })
})

test('a command that works at no hub says what to do instead', async () => {
  for (const name of ['spec', 'verify', 'scout', 'review', 'land', 'restore']) {
    const { stderr } = await runHere([name, '--hub', 'https://hub.example.com'], env)
    expect(stderr, name).toContain('It works on this machine, and at no hub.')
    expect(stderr, name).toMatch(/dashboard of the hub|machine of the hub|[Ll]eave --hub out|without --hub/)
  }
})

test('docs/commands.md lists every command; after a change: npm run docs', () => {
  const doc = readFileSync(commandsDoc, 'utf8')
  expect(doc).toBe(withCommands(doc))
})
