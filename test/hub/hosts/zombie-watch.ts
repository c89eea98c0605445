import { copiedTables } from '../../../src/adapters/store/copied-tables.ts'
import { type PostgresServer, psql } from '../../postgres/server.ts'
import type { Host } from './host.ts'

export const database = 'storm'

/**
 * Makes the database itself record the writers of rows in any table of the state: for each change
 * from a host, whether a worker of that host was in good standing at the time. A host has one
 * worker at a time, so no other one hides a worker that was given up.
 */
export function watchForZombies(server: PostgresServer, hosts: readonly Host[]): void {
  const ask = (sql: string) => psql(server, sql, database)
  const schema = ask("select nspname from pg_namespace where nspname like 'drydock\\_%'")
  ask(`create schema storm;
    create table storm.hosts (address inet primary key, name text not null);
    create table storm.writes (address inet, at timestamptz default clock_timestamp(), what text, is_member boolean);
    create function storm.note() returns trigger language plpgsql as $$
      declare writer text := (select name from storm.hosts where address = inet_client_addr());
      begin
        if writer is not null then
          insert into storm.writes (address, what, is_member) select inet_client_addr(), tg_op || ' ' || tg_table_name,
            exists (select from ${schema}.workers where workers.host like writer || '/%' and not given_up);
        end if;
        return null;
      end $$;
    create view storm.built as select id from ${schema}.machines where kind = 'story' and state = 'DONE'`)
  for (const { name, network } of hosts) ask(`insert into storm.hosts values ('${network.address}', '${name}')`)
  for (const table of Object.keys(copiedTables))
    ask(`create trigger noted after insert or update or delete on ${schema}.${table}
      for each row execute function storm.note()`)
}

/** Writes by hosts that were given up, and the number of all writes by hosts. */
export function writesOfHosts(server: PostgresServer) {
  const ask = (sql: string) => psql(server, sql, database)
  return {
    ofZombies: ask('select at, address, what from storm.writes where not is_member order by at')
      .split('\n')
      .filter(Boolean),
    hosts: Number(ask('select count(distinct address) from storm.writes')),
  }
}
