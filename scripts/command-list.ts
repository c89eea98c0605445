import { readFile, writeFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { CommandLine } from '../src/cli/program/command-line.ts'
import { declareOn } from '../src/cli/program/declare-command.ts'
import { followCommands } from '../src/cli/program/follow-commands.ts'
import { setUpCommands } from '../src/cli/program/set-up-commands.ts'
import { steerCommands } from '../src/cli/program/steer-commands.ts'
import { workCommands } from '../src/cli/program/work-commands.ts'

export const commandsDoc = new URL('../docs/commands.md', import.meta.url)

const begin = '<!-- made by scripts/command-list.ts -->'
const end = '<!-- end of the list -->'

/** The document with its list of commands made again from the program. */
export function withCommands(doc: string): string {
  const [before, after] = [doc.indexOf(begin), doc.indexOf(end)]
  if (before < 0 || after < before) throw new Error('docs/commands.md has lost the markers of its list')
  return `${doc.slice(0, before)}${begin}\n\n${list()}\n\n${doc.slice(after)}`
}

function list(): string {
  const lines = wholeProgram().commands.map((each) => {
    const takes = each.usage().replace(/^\[options\] ?/, '')
    return `- \`${`drydock ${each.name()} ${takes}`.trimEnd()}\`: ${each.summary()}`
  })
  return lines.join('\n')
}

/** The program with all its commands, none of which does anything. */
export function wholeProgram(): Command {
  const program = new CommandLine('drydock').enablePositionalOptions()
  const declare = declareOn(
    program,
    () => true,
    async () => {},
  )
  for (const add of [workCommands, followCommands, steerCommands]) add(declare)
  setUpCommands(declare, () => program)
  return program
}

if (import.meta.main) await writeFile(commandsDoc, withCommands(await readFile(commandsDoc, 'utf8')))
