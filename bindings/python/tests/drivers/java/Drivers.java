import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.UUID;

/**
 * How JDBC's drivers bind and read ids: prints a fact for each line, which test_other_drivers.py compares with docs/drivers.md.
 *
 * <p>Drivers URL USER PASSWORD COLUMNS ID SHORT
 */
public class Drivers {
    interface Bind {
        void into(PreparedStatement statement) throws SQLException;
    }

    interface Read {
        Object from(ResultSet row) throws SQLException;
    }

    static Connection connection;

    static void found(String name, String column, Bind bind) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("SELECT COUNT(*) FROM ids WHERE " + column + " = ?")) {
            bind.into(statement);
            ResultSet rows = statement.executeQuery();
            rows.next();
            System.out.println(name + " " + rows.getInt(1));
        } catch (SQLException error) {
            System.out.println(name + " refused");
        }
    }

    static void set(String column, Bind bind) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("UPDATE ids SET " + column + " = ?")) {
            bind.into(statement);
            statement.executeUpdate();
        }
    }

    static Object read(String column, Read read) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            ResultSet rows = statement.executeQuery("SELECT " + column + " FROM ids");
            rows.next();
            return read.from(rows);
        }
    }

    static void type(String column) throws SQLException {
        System.out.println(column + " " + read(column, row -> row.getObject(1)).getClass().getSimpleName());
    }

    static void check(boolean holds, String what) {
        if (!holds) {
            throw new AssertionError(what);
        }
    }

    public static void main(String[] arguments) throws Exception {
        String url = arguments[0], columns = arguments[3];
        UUID id = UUID.fromString(arguments[4]);
        BigInteger number = new BigInteger(arguments[5]);
        byte[] bytes = ByteBuffer.allocate(16).putLong(id.getMostSignificantBits()).putLong(id.getLeastSignificantBits()).array();
        connection = DriverManager.getConnection(url, arguments[1], arguments[2]);
        try (Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE ids (" + columns + ")");
            statement.execute("INSERT INTO ids (b) VALUES (NULL)");
        }
        set("b", s -> s.setBytes(1, bytes));
        found("b-bytes", "b", s -> s.setBytes(1, bytes));
        found("b-text", "b", s -> s.setString(1, id.toString()));
        found("b-uuid", "b", s -> s.setObject(1, id));
        type("b");
        check(Arrays.equals((byte[]) read("b", row -> row.getBytes(1)), bytes), "the bytes");
        if (columns.contains("s ")) {
            set("s", s -> s.setBigDecimal(1, new BigDecimal(number)));
            found("s-decimal", "s", s -> s.setBigDecimal(1, new BigDecimal(number)));
            found("s-long", "s", s -> s.setLong(1, number.longValue()));
            type("s");
            check(((BigDecimal) read("s", row -> row.getBigDecimal(1))).toBigInteger().equals(number), "the number");
            try {
                Object found = read("s", row -> row.getLong(1));
                System.out.println("s-getLong " + (found.equals(number.longValue()) ? "signed" : "another"));
            } catch (SQLException error) {
                System.out.println("s-getLong refused");
            }
        }
        if (columns.contains("u ")) {
            set("u", s -> s.setObject(1, id));
            found("u-uuid", "u", s -> s.setObject(1, id));
            found("u-text", "u", s -> s.setString(1, id.toString()));
            found("u-bytes", "u", s -> s.setBytes(1, bytes));
            type("u");
            check(read("u", row -> row.getObject(1, UUID.class)).equals(id), "the UUID");
        }
        connection.close();
    }
}
