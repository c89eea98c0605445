import { type JsonObject, objectAt, parseObject } from './json-object.ts'
import type { DetectedSystem, Project } from './project.ts'
import { present, reportFile, reportPath, toolFolder } from './project.ts'

const names = ['deno.json', 'deno.jsonc']
const kept = '.drydock/deno'
const path = `PATH="$PWD/${toolFolder}/node_modules/.bin:$PATH"`

/** In a project of another system a deno.json may belong to a tool, so it must have a test task. */
export function detectDeno(project: Project): DetectedSystem | null {
  return testTask(project) === null ? null : detectDenoAlone(project)
}

/** A Deno project. Deno itself comes from the npm registry. */
export function detectDenoAlone(project: Project): DetectedSystem | null {
  const [from] = present(project, names)
  if (from === undefined) return null
  const config = configOf(project)
  const tasks = objectAt(config, 'tasks')
  const test = testTask(project)
  const locked = 'deno.lock' in project.files
  const checks = ['lint', 'check', 'build'].filter((name) => textOf(tasks[name]) !== null)
  const modules = config.nodeModulesDir === 'auto' || config.nodeModulesDir === true ? ['node_modules'] : []
  // Deno always writes into its folder, so each step gets a copy.
  const deno = `cp -R ${kept} "$TMPDIR/deno" && DENO_DIR="$TMPDIR/deno" ${path} deno`
  const reports = test === null || /^deno test\b[^&|;]*$/.test(test)
  const command = `${deno} ${test === null ? 'test' : 'task test'}`
  return {
    system: 'deno',
    from,
    prepare: {
      name: 'modules',
      command: `npm install --no-save --no-package-lock --no-audit --no-fund --prefix ${toolFolder} deno@2 && export DENO_DIR="$PWD/${kept}" ${path} && deno install${locked ? ' --frozen' : ''} && mkdir -p ${[kept, ...modules].join(' ')}`,
      inputs: [...present(project, [from, 'deno.lock', 'package.json'])],
      outputs: [toolFolder, kept, ...modules],
      network: ['registry', 'jsr.io', 'npm.jsr.io', 'deno.land', 'esm.sh'],
    },
    steps: [
      ...checks.map((name) => ({ name, command: `${deno} task ${name}` })),
      reports
        ? { name: 'test', command: `${command} --junit-path="${reportPath}"`, junit: reportFile }
        : { name: 'test', command },
    ],
    ...(checks.includes('build') && { overlay: 'the task "build" writes into the tree' }),
    ...(!locked && {
      notes: ['There is no deno.lock: what is installed can differ from one machine to the next. Commit one.'],
    }),
    programs: ['npm'],
  }
}

function configOf(project: Project): JsonObject {
  const [from = ''] = present(project, names)
  return parseObject(withoutComments(project.files[from] ?? '')) ?? {}
}

function testTask(project: Project): string | null {
  return textOf(objectAt(configOf(project), 'tasks').test)
}

/** A task is either its command, or an object that contains it. */
function textOf(task: unknown): string | null {
  const text = typeof task === 'object' && task !== null ? (task as JsonObject).command : task
  return typeof text === 'string' ? text : null
}

/** Removes comments outside of strings, judging by lines. */
function withoutComments(text: string): string {
  return text.replace(/("(?:[^"\\\n]|\\.)*")|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, '$1').replace(/,(\s*[}\]])/g, '$1')
}
