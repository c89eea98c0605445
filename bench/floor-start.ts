/**
 * The least that a start can be with Drydock's promises, up to the first request: the repository is
 * found and read, what its user has committed is compared with the mirror, the workspace is as the
 * commit has it, and the task, its workspace and the budget of the request are synced to disk, one
 * after the other. Each is done by as few programs as do it, those that wait for nothing side by
 * side. Less than Drydock does: of what lay in the workspace, modes, times and links are not looked
 * at. Nothing else is loaded, checked or told. Arguments: the model's origin, the repository, the
 * mirror, the git folder and the files of a workspace, the file of the rows.
 */
import { execFile } from 'node:child_process'
import { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
import { runLoop } from './loop.ts'

const [origin = '', repository = '', mirror = '', slot = '', files = '', file = ''] = process.argv.slice(2)
const run = promisify(execFile)
const git = (...args: string[]) => run('git', args, { cwd: repository })
const inWorkspace = (...args: string[]) => git(`--git-dir=${slot}`, `--work-tree=${files}`, ...args)

const rows = new DatabaseSync(file)
rows.exec(`pragma journal_mode = wal; pragma synchronous = full;
  create table if not exists steps (id integer primary key, data text);`)
const step = rows.prepare('insert into steps (data) values (?)')

const { stdout } = await git('rev-parse', '--show-toplevel', 'HEAD^{commit}')
const [, head = ''] = stdout.split('\n')
await Promise.all([
  git('--no-optional-locks', 'status', '--porcelain=v1', '-z'),
  git('show', `${head}:.drydock/config.json`),
  git('show-ref', '--head'),
  git(`--git-dir=${mirror}`, 'for-each-ref'),
])
step.run('{"task":"say new"}')
const odd = ['.', '-path', './.git', '-prune', '-o', '!', '-type', 'f', '!', '-type', 'd', '-exec', 'rm', '{}', '+']
await run('find', odd, { cwd: files })
await inWorkspace('read-tree', '--reset', '-u', head)
await inWorkspace('clean', '--quiet', '-ffdx')
step.run('{"workspace":"ready"}')
step.run('{"reserved":20000}')
await runLoop({ origin, answer: () => Promise.reject(new Error('there is one request')) })
rows.close()
