// Loaded into promptfoo before it starts: with telemetry switched off it still posts one event,
// "telemetry disabled", and the demonstration promises no network but the package registries.
const realFetch = globalThis.fetch;

globalThis.fetch = (resource, options) => {
  const address = String(resource?.url ?? resource);
  if (address.startsWith("https://r.promptfoo.app/")) {
    return Promise.reject(new Error("telemetry is switched off"));
  }
  return realFetch(resource, options);
};
