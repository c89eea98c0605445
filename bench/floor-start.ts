/**
 * The smallest possible start that keeps Drydock's promises, up to the first request: the
 * repository is found and read, its user's commits are compared with the mirror, the workspace is
 * checked against the commit, and the task, its workspace and the budget of the request are synced
 * to disk, one after the other. Each part uses as few programs as possible, and independent parts
 * run side by side. Drydock does more: here modes, times and links in the workspace are not
 * compared. Nothing else is loaded, checked or reported. Arguments: the model's origin, the
 * repository, the mirror, the git folder and the files of a workspace, the file of the rows.
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
