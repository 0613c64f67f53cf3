package io.github.idgen.simulated;

public abstract class Context implements Resource {
    public abstract void register(Resource resource);
}
