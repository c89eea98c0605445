import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { stateName } from '../../../src/adapters/git/state-name.ts'
import { type Fixture, fixtureIn } from './fixture.ts'

const archives = join(import.meta.dirname, '../../fixtures/0.6.0')

/** States that Drydock 0.6.0 has left, by name; see test/fixtures/0.6.0/README.md. */
export const keptStates: readonly string[] = readdirSync(archives)
  .filter((file) => file.endsWith('.tar.gz'))
  .map((file) => file.slice(0, -'.tar.gz'.length))

/** The Run of every kept state. */
export const keptRun = 'made-by-0-6-0'

/**
 * Unpacks a state and its repository into a new folder, and writes the new path into all its files.
 */
export async function openKept(name: string): Promise<Fixture> {
  const above = mkdtempSync(join(tmpdir(), 'drydock-test-'))
  execFileSync('tar', ['-C', above, '-xzf', join(archives, `${name}.tar.gz`)])
  const folder = join(above, name)
  const [oldState = ''] = readdirSync(join(folder, 'state')).filter((entry) => entry.startsWith('repo-'))
  const state = await stateName(join(folder, 'repo'))
  renameSync(join(folder, 'state', oldState), join(folder, 'state', state))
  const moved = (text: string) => text.replaceAll(`/tmp/drydock-0.6.0/${name}`, folder).replaceAll(oldState, state)
  moveRows(join(folder, 'state', state, 'drydock.db'), moved)
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const isText = /^(?:config|git\.config|alternates|gitdir|\.git)$/.test(entry.name)
    if (!entry.isFile() || !isText) continue
    const file = join(entry.parentPath, entry.name)
    writeFileSync(file, moved(readFileSync(file, 'utf8')))
  }
  return fixtureIn(folder)
}

function moveRows(file: string, moved: (text: string) => string): void {
  const database = new DatabaseSync(file)
  database.function('moved', (text) => moved(String(text)))
  const tables = database.prepare("select name from sqlite_master where type = 'table'").all()
  for (const { name: table } of tables.filter((row) => !/^(?:kysely|sqlite)_/.test(String(row.name))))
    for (const { name: column } of database.prepare(`select name from pragma_table_info('${table}')`).all())
      database.exec(`update ${table} set ${column} = moved(${column}) where typeof(${column}) = 'text'`)
  database.close()
}
