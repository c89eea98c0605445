import { describe, expect, test } from 'vitest'
import { coderSystem } from '../../src/agents/prompts/coder.ts'
import { plannerSystem } from '../../src/agents/prompts/planner.ts'
import { scoutSystem } from '../../src/agents/prompts/scout.ts'
import { registry, terminalToolOf, toolDocumentationOf, toolSpecsOf, toolsOf } from '../../src/agents/tools/registry.ts'
import type { AgentRole } from '../../src/domain/lane.ts'

const roles: readonly AgentRole[] = ['planner', 'coder', 'codebase_scout', 'build_scout']
const names = (role: AgentRole) => toolsOf(role).map(({ name }) => name)

describe('the registry', () => {
  test('gives each role its tools and no more', () => {
    const reading = ['read_file', 'list_files', 'search_files']
    expect(Object.fromEntries(roles.map((role) => [role, names(role)]))).toEqual({
      planner: [...reading, 'get_diff', 'run_command', 'ask_scout', 'submit_plan'],
      coder: [
        ...[...reading, 'get_diff', 'edit_file', 'write_file', 'move_file', 'delete_file'],
        ...['run_command', 'ask_scout', 'submit_change'],
      ],
      codebase_scout: [...reading, 'submit_report'],
      build_scout: [...reading, 'submit_report'],
    })
  })

  test('gives each role one way out', () => {
    for (const role of roles) {
      expect(toolsOf(role).filter(({ kind }) => kind === 'terminal')).toEqual([terminalToolOf(role)])
      expect(terminalToolOf(role).name).toMatch(/^submit_/)
    }
  })

  test('documents every tool of a role in its prompt, with all its fields', () => {
    const prompts = {
      planner: plannerSystem(),
      coder: coderSystem(),
      codebase_scout: scoutSystem('codebase'),
      build_scout: scoutSystem('build'),
    }
    for (const role of roles) {
      expect(prompts[role]).toContain(toolDocumentationOf(role))
      for (const { name, description, inputSchema } of toolSpecsOf(role)) {
        const [line = ''] = prompts[role].split('\n').filter((each) => each.startsWith(`- \`${name}(`))
        expect(line, `${role} ${name}`).toContain(description)
        for (const field of Object.keys(inputSchema.properties ?? {})) expect(line).toContain(field)
      }
    }
    expect(prompts.coder).toContain('- `edit_file(path, old, new, all?)`: ')
  })

  test('says each tool in one line', () => {
    for (const { purpose } of registry) expect(purpose).toMatch(/^[^\n]{10,200}$/)
  })

  test('takes no field that it does not name, in any tool', () => {
    for (const role of roles)
      for (const { inputSchema } of toolSpecsOf(role))
        expect(inputSchema).toMatchObject({ additionalProperties: false })
  })
})
