/**
 * The environment of a verification step: test mode, so that nothing is updated or installed on the way, and every cache that a tool would put into
 * the read-only repository or the home directed into ARTIFACT_DIR.
 */
export function stepEnvironment(artifactDir: string): Readonly<Record<string, string>> {
  const cache = `${artifactDir}/cache`
  return {
    CI: '1',
    NO_COLOR: '1',
    ARTIFACT_DIR: artifactDir,
    TMPDIR: `${artifactDir}/tmp`,
    XDG_CACHE_HOME: cache,
    // No update of snapshots and lock files.
    INSTA_UPDATE: 'no',
    UPDATE_SNAPSHOTS: '0',
    YARN_ENABLE_IMMUTABLE_INSTALLS: 'true',
    npm_config_offline: 'true',
    npm_config_update_notifier: 'false',
    CARGO_NET_OFFLINE: 'true',
    GOFLAGS: '-mod=readonly',
    GOPROXY: 'off',
    PIP_NO_INDEX: '1',
    // Caches.
    npm_config_cache: `${cache}/npm`,
    PYTHONPYCACHEPREFIX: `${cache}/pycache`,
    // Split as a shell does.
    PYTEST_ADDOPTS: `-o 'cache_dir=${cache.replaceAll("'", `'\\''`)}/pytest'`,
    CARGO_TARGET_DIR: `${artifactDir}/build/cargo`,
    GOCACHE: `${cache}/go-build`,
    COVERAGE_FILE: `${artifactDir}/build/.coverage`,
  }
}
