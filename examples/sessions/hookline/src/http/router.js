/** The smallest router that does the job: method, path with `:names`, handler. */
export class HttpError extends Error {
  constructor(status, message) {
    super(message);
    this.name = "HttpError";
    this.status = status;
  }
}

export function createRouter() {
  const routes = [];
  const add = (method) => (path, handler) => {
    const names = [];
    const pattern = path.replace(/:(\w+)/g, (_, name) => {
      names.push(name);
      return "([^/]+)";
    });
    routes.push({ method, names, pattern: new RegExp(`^${pattern}$`), handler });
  };
  return {
    get: add("GET"),
    post: add("POST"),
    find(method, path) {
      const matching = routes.filter(({ pattern }) => pattern.test(path));
      if (matching.length === 0) throw new HttpError(404, `there is no ${path}`);
      const route = matching.find((candidate) => candidate.method === method);
      if (!route) throw new HttpError(405, `${path} does not take ${method}`);
      const values = route.pattern.exec(path).slice(1).map(decodeURIComponent);
      return { handler: route.handler, params: Object.fromEntries(route.names.map((name, index) => [name, values[index]])) };
    },
  };
}
